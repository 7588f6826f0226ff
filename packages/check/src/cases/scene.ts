import type { Case } from '../case.ts';
import type { Place } from '../observe/place.ts';
import type { Sight, Start, Step } from '../observe/sight.ts';

/**
 * One process, or a second one whose `Start` depends on the `Sight` of the first. Scenes with the same `first` share
 * its process, so a case must refer to a shared function and not create a new one.
 */
export interface Scene {
  first(place: Place): Start;
  second?(first: Sight, place: Place): Start | { readonly skip: string };
  /** Runs `second` in the project of `first`, so that it finds the files which the first process wrote. */
  readonly keepsPlace?: true;
}

/** The processes of a scene; `last` is the same object as `first` if there is no `second`. */
export interface Seen {
  readonly first: Sight;
  readonly last: Sight;
}

export type AgentCase = Case<Scene, Seen>;

/**
 * Time to wait before a signal, so that the agent has installed its handlers: 1.5 times the time to the first line of
 * the process before, but between 300 ms and 5000 ms.
 */
export function startUpMs({ lines, endedAt }: Sight): number {
  const upAt = lines[0]?.at ?? endedAt;
  return Math.min(Math.max(upAt * 1.5, 300), 5_000);
}

/**
 * Sends `text` in two writes, so that one `read` of the agent gets only half of it. The second half is sent when the
 * agent waits for it: an agent that still starts up would find both halves in the pipe.
 */
export function inTwoPieces(text: string, first: Sight): readonly Step[] {
  const middle = Math.floor(text.length / 2);
  return [{ send: text.slice(0, middle) }, { settleMs: startUpMs(first) }, { send: text.slice(middle) }];
}
