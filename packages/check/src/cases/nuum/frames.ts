import type { SeenLine } from '../../observe/sight.ts';
import { type Frame, framesOf } from '../frames.ts';

export function isSystem(frame: Frame, subtype: string): boolean {
  return frame?.type === 'system' && frame.subtype === subtype;
}

export function isResult(frame: Frame): boolean {
  return frame?.type === 'result';
}

/** Counts of turns and results among the lines so far. */
export interface TurnCounts {
  /** `turn_accepted` lines without an `origin`, which marks turns that the agent began itself. */
  readonly begun: number;
  /** Sum of `message_count` of the `injected` lines. */
  readonly taken: number;
  readonly results: number;
  /** Highest number of turns that ran at the same time; more than 1 breaks the protocol. */
  readonly atOnce: number;
}

export function countTurns(lines: readonly SeenLine[]): TurnCounts {
  let begun = 0;
  let taken = 0;
  let results = 0;
  let running = 0;
  let atOnce = 0;
  for (const frame of framesOf(lines)) {
    if (isSystem(frame, 'turn_accepted')) {
      running++;
      if (frame?.origin === undefined) begun++;
    } else if (isSystem(frame, 'injected'))
      taken += typeof frame?.message_count === 'number' ? frame.message_count : 0;
    else if (isResult(frame)) {
      results++;
      running = Math.max(0, running - 1);
    }
    atOnce = Math.max(atOnce, running);
  }
  return { begun, taken, results, atOnce };
}
