import { formatCount } from '../output.ts';
import type { SceneEntry } from '../storydb/replace-scene.ts';

/** The counts of an index run. */
export interface IndexCounts {
  indexed: number;
  unchanged: number;
  skipped: number;
  failed: number;
  facts: number;
  characters: number;
  locations: number;
}

export function createIndexCounts(unchanged: number): IndexCounts {
  return { indexed: 0, unchanged, skipped: 0, failed: 0, facts: 0, characters: 0, locations: 0 };
}

/** Counts a stored scene. */
export function countEntry(counts: IndexCounts, { facts, characters, locations }: SceneEntry): void {
  counts.indexed += 1;
  counts.facts += facts.length;
  counts.characters += characters.length;
  counts.locations += locations.length;
}

/** Formats `3 facts, 2 characters, 1 location`. */
export function formatContents({ facts, characters, locations }: SceneEntry): string {
  return [
    formatCount(facts.length, 'fact'),
    formatCount(characters.length, 'character'),
    formatCount(locations.length, 'location'),
  ].join(', ');
}

/** Formats the counts of the run in one line. */
export function formatTotals(counts: IndexCounts): string {
  const { indexed, facts, characters, locations } = counts;
  const found = `${formatCount(facts, 'fact')}, ${formatCount(characters, 'character')}, ${formatCount(locations, 'location')}`;
  const others = (['unchanged', 'skipped', 'failed'] as const)
    .filter((name) => counts[name] > 0)
    .map((name) => `, ${counts[name]} ${name}`);
  return `${formatCount(indexed, 'scene')} indexed${others.join('')}: ${found}.`;
}
