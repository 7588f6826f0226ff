import type { Row } from './columns.ts';
import type { Story } from './story.ts';

type Location = Row<'locations'>;

/**
 * Merges the locations of a newly indexed scene into the story. A location introduced by another scene stays unchanged.
 * Those introduced by this scene are replaced, so that indexing it again adds no duplicates.
 */
export function mergeLocations(
  story: Story,
  slug: string,
  found: readonly Location[],
  newId: () => string,
): Story {
  const kept = removeLocations(story, slug, listIds(story, slug, found));
  const rows = new Map(kept.locations.rows.map((row) => [row.id, row]));
  for (const location of found) {
    const id = location.id === '' ? (findIdByName(story, location.name) ?? newId()) : location.id;
    const there = rows.get(id);
    if (there === undefined || there.first_scene === slug) rows.set(id, { ...there, ...location, id });
  }
  return { ...kept, locations: { ...kept.locations, rows: [...rows.values()] } };
}

/**
 * Removes the locations that a scene introduced, except those in `except`. If another scene is set there, it becomes
 * `first_scene`; otherwise the location is deleted.
 */
export function removeLocations(story: Story, slug: string, except: ReadonlySet<string> = new Set()): Story {
  if (!story.locations.rows.some(({ first_scene }) => first_scene === slug)) return story;
  const rows = story.locations.rows.flatMap((row) => {
    if (row.first_scene !== slug || except.has(row.id)) return [row];
    const heir = story.scenes.rows.find(({ scene, location }) => scene !== slug && location === row.id);
    return heir === undefined ? [] : [{ ...row, first_scene: heir.scene }];
  });
  return { ...story, locations: { ...story.locations, rows } };
}

function listIds(story: Story, slug: string, found: readonly Location[]): ReadonlySet<string> {
  const own = story.locations.rows.filter(({ first_scene }) => first_scene === slug);
  const names = new Set(found.filter(({ id }) => id === '').map(({ name }) => name.toLowerCase()));
  const byName = own.filter(({ name }) => names.has(name.toLowerCase())).map(({ id }) => id);
  return new Set([...found.map(({ id }) => id), ...byName]);
}

function findIdByName(story: Story, name: string): string | undefined {
  if (name === '') return undefined;
  return story.locations.rows.find((row) => row.name.toLowerCase() === name.toLowerCase())?.id;
}
