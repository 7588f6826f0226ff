import { oneLine } from '../one-line.ts';
import type { Row, TableName } from './columns.ts';
import { forgetLocations, mergeLocations } from './locations.ts';
import type { Story } from './story.ts';
import type { Table } from './table.ts';

type Without<N extends TableName, K extends string> = Readonly<Record<Exclude<keyof Row<N>, K>, string>>;

/** What is known of one scene, before ids and the time are added. */
export interface SceneEntry {
  readonly scene: Without<'scenes', 'indexed_at'>;
  readonly facts: readonly Without<'facts', 'id' | 'scene' | 'indexed_at'>[];
  readonly characters: readonly Without<'scene_characters', 'scene' | 'indexed_at'>[];
  /** A location without an id is known by its name, or gets a new id. */
  readonly locations: readonly Without<'locations', 'first_scene' | 'indexed_at'>[];
}

/** What a new row needs from outside. */
export interface Minting {
  readonly newId: () => string;
  readonly indexedAt: string;
}

/** The story with everything known of one scene replaced; rows keep their place in their files. */
export function replaceScene(story: Story, entry: SceneEntry, { newId, indexedAt }: Minting): Story {
  const slug = oneLine(entry.scene.scene);
  // Columns that others have added to the row stay.
  const old = story.scenes.rows.find(isOf(slug));
  const scene = { ...old, ...clean({ ...entry.scene, indexed_at: indexedAt }) };
  const facts = entry.facts.map((fact) =>
    clean({ ...fact, id: newId(), scene: slug, indexed_at: indexedAt }),
  );
  const characters = distinct(
    entry.characters.map((one) => clean({ ...one, scene: slug, indexed_at: indexedAt })),
    ({ character }) => character,
  );
  const found = entry.locations.map((one) => clean({ ...one, first_scene: slug, indexed_at: indexedAt }));
  const replaced: Story = {
    ...story,
    scenes: splice(story.scenes, isOf(slug), [scene]),
    facts: splice(story.facts, isOf(slug), facts),
    scene_characters: splice(story.scene_characters, isOf(slug), characters),
  };
  return mergeLocations(replaced, slug, found, newId);
}

/** The story after a scene got another slug. */
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

/** The story after a scene went into an interlude or out of one; other types, such as a document, stay. */
export function retypeScene(story: Story, slug: string, interlude: boolean): Story {
  const [from, to] = interlude ? (['regular', 'interlude'] as const) : (['interlude', 'regular'] as const);
  const scenes = mapRows(story.scenes, (row) => {
    return row.scene === slug && row.scene_type === from ? { ...row, scene_type: to } : row;
  });
  return scenes === story.scenes ? story : { ...story, scenes };
}

/** The story without a scene. The timeline is written by hand and stays. */
export function removeScene(story: Story, slug: string): Story {
  const removed: Story = {
    ...story,
    scenes: splice(story.scenes, isOf(slug), []),
    facts: splice(story.facts, isOf(slug), []),
    scene_characters: splice(story.scene_characters, isOf(slug), []),
  };
  return forgetLocations(removed, slug);
}

function isOf(slug: string): (row: { readonly scene: string }) => boolean {
  return ({ scene }) => scene === slug;
}

/** Puts new rows where the first of the old ones stood, or at the end. The same table when nothing changes. */
function splice<N extends TableName>(
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

function clean<T extends Readonly<Record<string, string>>>(row: T): T {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, oneLine(value)])) as T;
}

function distinct<T>(items: readonly T[], key: (item: T) => string): readonly T[] {
  return [...new Map(items.toReversed().map((item) => [key(item), item])).values()].toReversed();
}
