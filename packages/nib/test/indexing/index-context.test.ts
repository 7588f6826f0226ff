import { describe, expect, it } from 'vitest';
import { buildIndexContext } from '../../src/indexing/index-context.ts';
import { replaceScene } from '../../src/storydb/replace-scene.ts';
import type { Story } from '../../src/storydb/story.ts';
import { createTestBook, parseTestBook } from '../books.ts';
import { createEmptyStory, createTestEntry } from '../stories.ts';

function knowing(...slugs: readonly string[]): Story {
  const minting = { newId: () => 'X', indexedAt: 't' };
  return slugs.reduce(
    (story, slug) => replaceScene(story, createTestEntry(slug, slug), minting),
    createEmptyStory(),
  );
}

const sceneOf = (book: ReturnType<typeof createTestBook>, chapter: number, position: number) => {
  const scene = book.chapters[chapter - 1]?.scenes[position - 1];
  if (scene === undefined) throw new Error('no such scene');
  return scene;
};

describe('the context of a scene', () => {
  it('the context of a scene recaps the two previous chapters and the earlier scenes only', () => {
    const book = createTestBook(1, 1, 1, 3);
    const story = knowing('c1s1', 'c2s1', 'c4s1', 'c4s3');
    const text = buildIndexContext({ book, story, characters: [], scene: sceneOf(book, 4, 2) });
    expect(text).toContain('summary c2s1');
    expect(text).toContain('summary c4s1');
    expect(text).not.toContain('summary c1s1');
    expect(text).not.toContain('summary c4s3');
    expect(text).not.toContain('c3s1');
  });

  it('the context of a scene names known people, known places and the file', () => {
    const book = createTestBook(1);
    const story = knowing('other');
    const text = buildIndexContext({ book, story, characters: ['ada', 'bo'], scene: sceneOf(book, 1, 1) });
    expect(text).toContain('Known people: ada, bo\n');
    expect(text).toContain('Known places: mill (The Mill)\n');
    expect(text).toContain('The scene is c1s1 (1.1). Its text is in the file scenes/c1s1.md');
    expect(text).not.toContain('What happened');
  });

  it('the context of a scene mentions its interlude', () => {
    const book = parseTestBook('book:\n  chapters:\n    - interlude: true\n      scenes: [letter]');
    const given = { book, story: createEmptyStory(), characters: [], scene: sceneOf(book, 1, 1) };
    expect(buildIndexContext(given)).toContain('stands in an interlude');
    expect(buildIndexContext({ ...given, problems: ['facts must be array'] })).toMatch(
      /- facts must be array\n$/,
    );
  });
});
