import { toOneLine } from '../one-line.ts';
import type { Row, TableName } from './columns.ts';
import { mergeLocations, removeLocations } from './locations.ts';
import type { Story } from './story.ts';
import type { Table } from './table.ts';

type Without<N extends TableName, K extends string> = Readonly<Record<Exclude<keyof Row<N>, K>, string>>;

/** The index data of one scene, before ids and time are added. */
export interface SceneEntry {
  readonly scene: Without<'scenes', 'indexed_at'>;
  readonly facts: readonly Without<'facts', 'id' | 'scene' | 'indexed_at'>[];
  readonly characters: readonly Without<'scene_characters', 'scene' | 'indexed_at'>[];
  /** A location without an id is looked up by its name, or gets a new id. */
  readonly locations: readonly Without<'locations', 'first_scene' | 'indexed_at'>[];
}

/** The ids and time of new rows, which `replaceScene` does not create itself. */
export interface GeneratedFields {
  readonly newId: () => string;
  readonly indexedAt: string;
}

/** Replaces all data of one scene in the story; rows keep their position in their files. */
export function replaceScene(story: Story, entry: SceneEntry, { newId, indexedAt }: GeneratedFields): Story {
  const slug = toOneLine(entry.scene.scene);
  // Columns that other programs have added to the row stay.
  const old = story.scenes.rows.find(createSceneFilter(slug));
  const scene = { ...old, ...cleanRow({ ...entry.scene, indexed_at: indexedAt }) };
  const facts = entry.facts.map((fact) =>
    cleanRow({ ...fact, id: newId(), scene: slug, indexed_at: indexedAt }),
  );
  const characters = keepDistinct(
    entry.characters.map((one) => cleanRow({ ...one, scene: slug, indexed_at: indexedAt })),
    ({ character }) => character,
  );
  const found = entry.locations.map((one) => cleanRow({ ...one, first_scene: slug, indexed_at: indexedAt }));
  const replaced: Story = {
    ...story,
    scenes: spliceRows(story.scenes, createSceneFilter(slug), [scene]),
    facts: spliceRows(story.facts, createSceneFilter(slug), facts),
    scene_characters: spliceRows(story.scene_characters, createSceneFilter(slug), characters),
  };
  return mergeLocations(replaced, slug, found, newId);
}

/** Changes the slug of a scene in all tables, also in `first_scene`. */
export function renameScene(story: Story, from: string, to: string): Story {
  const renamed = <T extends { readonly scene: string }>(row: T): T =>
    row.scene === from ? { ...row, scene: to } : row;
  return {
    scenes: mapRows(story.scenes, renamed),
    facts: mapRows(story.facts, renamed),
    scene_characters: mapRows(story.scene_characters, renamed),
    locations: mapRows(story.locations, (row) =>
      row.first_scene === from ? { ...row, first_scene: to } : row,
    ),
    timeline: mapRows(story.timeline, renamed),
  };
}

/** Changes `scene_type` after a scene moved into or out of an interlude; other types, such as `document`, stay. */
export function retypeScene(story: Story, slug: string, interlude: boolean): Story {
  const [from, to] = interlude ? (['regular', 'interlude'] as const) : (['interlude', 'regular'] as const);
  const scenes = mapRows(story.scenes, (row) => {
    return row.scene === slug && row.scene_type === from ? { ...row, scene_type: to } : row;
  });
  return scenes === story.scenes ? story : { ...story, scenes };
}

/** Removes a scene from the story, except from `timeline`, which is written by hand. */
export function removeScene(story: Story, slug: string): Story {
  const removed: Story = {
    ...story,
    scenes: spliceRows(story.scenes, createSceneFilter(slug), []),
    facts: spliceRows(story.facts, createSceneFilter(slug), []),
    scene_characters: spliceRows(story.scene_characters, createSceneFilter(slug), []),
  };
  return removeLocations(removed, slug);
}

function createSceneFilter(slug: string): (row: { readonly scene: string }) => boolean {
  return ({ scene }) => scene === slug;
}

/**
 * Inserts new rows at the position of the first old one, or at the end. Returns the same table when nothing changes.
 */
function spliceRows<N extends TableName>(
  table: Table<N>,
  isOld: (row: Row<N>) => boolean,
  fresh: readonly Row<N>[],
): Table<N> {
  const at = table.rows.findIndex(isOld);
  if (at === -1 && fresh.length === 0) return table;
  const before = at === -1 ? table.rows : table.rows.slice(0, at);
  const after = at === -1 ? [] : table.rows.slice(at).filter((row) => !isOld(row));
  return { ...table, rows: [...before, ...fresh, ...after] };
}

function mapRows<N extends TableName>(table: Table<N>, change: (row: Row<N>) => Row<N>): Table<N> {
  const rows = table.rows.map(change);
  return rows.every((row, index) => row === table.rows[index]) ? table : { ...table, rows };
}

function cleanRow<T extends Readonly<Record<string, string>>>(row: T): T {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, toOneLine(value)])) as T;
}

function keepDistinct<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  return [...new Map(items.toReversed().map((item) => [key(item), item])).values()].toReversed();
}
