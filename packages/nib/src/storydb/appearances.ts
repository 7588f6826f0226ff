import { allScenes, type Book, type Scene } from '../project/book.ts';
import type { Story } from './story.ts';

/** The characters of some scenes, sorted; those only mentioned when `all` is asked for. */
export function charactersIn(
  story: Story,
  slugs: ReadonlySet<string> | undefined,
  all: boolean,
): readonly string[] {
  const names = story.scene_characters.rows
    .filter(({ scene, role }) => (slugs?.has(scene) ?? true) && (all || isThere(role)))
    .map(({ character }) => character);
  return [...new Set(names)].sort();
}

/** The scenes, in the order of the story, in which a character speaks, acts or tells. */
export function scenesWith(book: Book, story: Story, character: string): readonly Scene[] {
  const slugs = appearances(story, character);
  return allScenes(book).filter(({ slug }) => slugs.has(slug));
}

/** Scenes of a character in the story database that the book no longer has. */
export function lostScenes(book: Book, story: Story, character: string): readonly string[] {
  const there = new Set(allScenes(book).map(({ slug }) => slug));
  return [...appearances(story, character)].filter((slug) => !there.has(slug));
}

function appearances(story: Story, character: string): ReadonlySet<string> {
  const rows = story.scene_characters.rows.filter((row) => row.character === character && isThere(row.role));
  return new Set(rows.map(({ scene }) => scene));
}

function isThere(role: string): boolean {
  return role !== 'mentioned';
}
