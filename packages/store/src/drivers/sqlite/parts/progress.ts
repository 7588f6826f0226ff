import type { TakenIn } from '../statements/events/taken-in.ts';

/** How far an agent has come with the messages of its turn, which it begins in order: the numbers of two of them. */
export interface Progress {
  /** The first of those that it was at: all before have been answered. */
  readonly at: number;
  /** The first of those that it had not begun. */
  readonly next: number;
}

/** Message 0 is what the turn was asked. Others are taken into what the agent is at, or begun when that is done. */
export function progressOf(taken: readonly TakenIn[]): Progress {
  let at = 0;
  let next = 1;
  let begun = false;
  for (const { type, count } of taken) {
    if (type === 'steered') next += count ?? 0;
    else if (begun) {
      at = next;
      next += 1;
    }
    begun = true;
  }
  return { at, next };
}
