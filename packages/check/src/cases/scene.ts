import type { Case } from '../case.ts';
import type { Place } from '../observe/place.ts';
import type { Sight, Start, Step } from '../observe/sight.ts';

/**
 * One process, or a second one that follows from what the first has said. Scenes with the same `first` share its
 * process, so a case names a start that is defined once rather than writing one of its own.
 */
export interface Scene {
  first(place: Place): Start;
  second?(first: Sight, place: Place): Start | { readonly skip: string };
  /** The second process runs in the project of the first one. */
  readonly keepsPlace?: true;
}

/** What was seen: the first process, and the last one, which is the same where there was only one. */
export interface Seen {
  readonly first: Sight;
  readonly last: Sight;
}

export type AgentCase = Case<Scene, Seen>;

/**
 * How long to wait before a signal, so that the agent has installed its handlers: its first line came after that in the
 * process before. Between 0.3 and 5 seconds.
 */
export function startUpMs({ lines, endedAt }: Sight): number {
  const upAt = lines[0]?.at ?? endedAt;
  return Math.min(Math.max(upAt * 1.5, 300), 5_000);
}

/** Sends a text in two writes, so that one read does not give all of it. */
export function inTwoPieces(text: string): readonly Step[] {
  const middle = Math.floor(text.length / 2);
  return [{ send: text.slice(0, middle) }, { pauseMs: 150 }, { send: text.slice(middle) }];
}
