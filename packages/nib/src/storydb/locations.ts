import type { Row } from './columns.ts';
import type { Story } from './story.ts';

type Location = Row<'locations'>;

/**
 * The story with the locations of a scene that was just indexed. A location that another scene introduced stays as that
 * scene has it; those this scene introduced are replaced, so that indexing again adds nothing twice.
 */
export function mergeLocations(
  story: Story,
  slug: string,
  found: readonly Location[],
  newId: () => string,
): Story {
  const kept = forgetLocations(story, slug, idsOf(story, slug, found));
  const rows = new Map(kept.locations.rows.map((row) => [row.id, row]));
  for (const location of found) {
    const id = location.id === '' ? (idByName(story, location.name) ?? newId()) : location.id;
    const there = rows.get(id);
    if (there === undefined || there.first_scene === slug) rows.set(id, { ...there, ...location, id });
  }
  return { ...kept, locations: { ...kept.locations, rows: [...rows.values()] } };
}

/**
 * The story after a scene no longer vouches for the locations it introduced, except those named. Another scene that
 * plays there takes over; a location where no scene plays is forgotten.
 */
export function forgetLocations(story: Story, slug: string, except: ReadonlySet<string> = new Set()): Story {
  if (!story.locations.rows.some(({ first_scene }) => first_scene === slug)) return story;
  const rows = story.locations.rows.flatMap((row) => {
    if (row.first_scene !== slug || except.has(row.id)) return [row];
    const heir = story.scenes.rows.find(({ scene, location }) => scene !== slug && location === row.id);
    return heir === undefined ? [] : [{ ...row, first_scene: heir.scene }];
  });
  return { ...story, locations: { ...story.locations, rows } };
}

function idsOf(story: Story, slug: string, found: readonly Location[]): ReadonlySet<string> {
  const own = story.locations.rows.filter(({ first_scene }) => first_scene === slug);
  const names = new Set(found.filter(({ id }) => id === '').map(({ name }) => name.toLowerCase()));
  const byName = own.filter(({ name }) => names.has(name.toLowerCase())).map(({ id }) => id);
  return new Set([...found.map(({ id }) => id), ...byName]);
}

function idByName(story: Story, name: string): string | undefined {
  if (name === '') return undefined;
  return story.locations.rows.find((row) => row.name.toLowerCase() === name.toLowerCase())?.id;
}
