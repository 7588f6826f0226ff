import type { Case } from '../case.ts';
import type { Place } from '../observe/place.ts';
import type { Sight, Start } from '../observe/sight.ts';

/**
 * One process, or a second one that follows from what the first has said. Scenes with the same `first` share its
 * process, so a case names a start that is defined once rather than writing one of its own.
 */
export interface Scene {
  first(place: Place): Start;
  second?(first: Sight, place: Place): Start | { readonly skip: string };
}

/** What was seen: the first process, and the last one, which is the same where there was only one. */
export interface Seen {
  readonly first: Sight;
  readonly last: Sight;
}

export type AgentCase = Case<Scene, Seen>;
