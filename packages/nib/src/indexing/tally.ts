import { counted } from '../output.ts';
import type { SceneEntry } from '../storydb/replace.ts';

/** What an index run has come to so far. */
export interface Tally {
  indexed: number;
  unchanged: number;
  skipped: number;
  failed: number;
  facts: number;
  characters: number;
  locations: number;
}

export function createTally(unchanged: number): Tally {
  return { indexed: 0, unchanged, skipped: 0, failed: 0, facts: 0, characters: 0, locations: 0 };
}

/** Counts a scene that was stored. */
export function countEntry(tally: Tally, { facts, characters, locations }: SceneEntry): void {
  tally.indexed += 1;
  tally.facts += facts.length;
  tally.characters += characters.length;
  tally.locations += locations.length;
}

/** `3 facts, 2 characters, 1 location` */
export function contentsOf({ facts, characters, locations }: SceneEntry): string {
  return [
    counted(facts.length, 'fact'),
    counted(characters.length, 'character'),
    counted(locations.length, 'location'),
  ].join(', ');
}

/** The whole run in one line. */
export function totals(tally: Tally): string {
  const { indexed, facts, characters, locations } = tally;
  const found = `${counted(facts, 'fact')}, ${counted(characters, 'character')}, ${counted(locations, 'location')}`;
  const others = (['unchanged', 'skipped', 'failed'] as const)
    .filter((name) => tally[name] > 0)
    .map((name) => `, ${tally[name]} ${name}`);
  return `${counted(indexed, 'scene')} indexed${others.join('')}: ${found}.`;
}
