import { type Book, listScenes, type Scene } from '../project/book.ts';
import type { Story } from './story.ts';

/** The characters of some scenes, sorted; `all` includes those with the role `mentioned`. */
export function listCharactersIn(
  story: Story,
  slugs: ReadonlySet<string> | undefined,
  all: boolean,
): readonly string[] {
  const names = story.scene_characters.rows
    .filter(({ scene, role }) => (slugs?.has(scene) ?? true) && (all || isPresent(role)))
    .map(({ character }) => character);
  return [...new Set(names)].sort();
}

/** The scenes with a character present, in the order of the story. */
export function findScenesWith(book: Book, story: Story, character: string): readonly Scene[] {
  const slugs = findAppearances(story, character);
  return listScenes(book).filter(({ slug }) => slugs.has(slug));
}

/** Scenes of a character in the story database that the book no longer has. */
export function findLostScenes(book: Book, story: Story, character: string): readonly string[] {
  const there = new Set(listScenes(book).map(({ slug }) => slug));
  return [...findAppearances(story, character)].filter((slug) => !there.has(slug));
}

function findAppearances(story: Story, character: string): ReadonlySet<string> {
  const rows = story.scene_characters.rows.filter(
    (row) => row.character === character && isPresent(row.role),
  );
  return new Set(rows.map(({ scene }) => scene));
}

function isPresent(role: string): boolean {
  return role !== 'mentioned';
}
