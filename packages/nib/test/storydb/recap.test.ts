import { describe, expect, it } from 'vitest';
import { selectScenes, selectScenesThrough } from '../../src/project/range.ts';
import { findScenesWith, listCharactersIn } from '../../src/storydb/appearances.ts';
import { createRecap, findUnindexed } from '../../src/storydb/recap.ts';
import { replaceScene } from '../../src/storydb/replace-scene.ts';
import { createTestBook, parseTestBook } from '../books.ts';
import { createEmptyStory, createTestEntry } from '../stories.ts';

const minting = { newId: () => 'ID', indexedAt: 't' };
const book = parseTestBook(
  'book:\n  chapters:\n  - name: First\n    scenes: [a, b]\n  - interlude: true\n    scenes: [c]\n  - scenes: [d]\n',
);
const bo = [{ character: 'bo', role: 'present' }];
const story = [
  createTestEntry('a', 'x'),
  createTestEntry('b', 'y', { characters: bo }),
  createTestEntry('c', 'z', { characters: bo }),
].reduce((known, entry) => replaceScene(known, entry, minting), createEmptyStory());
const scenes = (range: string) => selectScenes(book, range).scenes;

describe('a recap', () => {
  it('a recap has summary, point of view and present characters', () => {
    expect(createRecap(book, story, scenes('1-3'))).toEqual({
      chapters: [
        {
          chapter: 1,
          name: 'First',
          scenes: [
            {
              slug: 'a',
              position: 1,
              pov: 'ada',
              summary: 'summary x',
              indexed: true,
              characters: [{ character: 'ada', role: 'pov' }],
            },
            { slug: 'b', position: 2, pov: 'ada', summary: 'summary y', indexed: true, characters: bo },
          ],
        },
        {
          chapter: 2,
          interlude: true,
          scenes: [
            { slug: 'c', position: 1, pov: 'ada', summary: 'summary z', indexed: true, characters: bo },
          ],
        },
        { chapter: 3, scenes: [{ slug: 'd', position: 1, indexed: false }] },
      ],
    });
  });

  it('a detailed recap has more fields, and omits empty ones', () => {
    const [chapter] = createRecap(book, story, scenes('1.1'), { detailed: true }).chapters;
    expect(chapter?.scenes[0]).toEqual({
      slug: 'a',
      position: 1,
      pov: 'ada',
      location: 'mill',
      date: '1952-03-01',
      time: 'dawn',
      summary: 'summary x',
      indexed: true,
      facts: [
        { category: 'event', summary: 'fact 1 x' },
        { category: 'event', summary: 'fact 2 x' },
      ],
      characters: [
        { character: 'ada', role: 'pov' },
        { character: 'x', role: 'mentioned' },
      ],
    });
  });

  it('a recap of one character keeps the positions of references', () => {
    const { chapters } = createRecap(book, story, scenes('1-3'), { characters: ['bo'] });
    expect(
      chapters.map(({ chapter, scenes: told }) => [chapter, told.map(({ position }) => position)]),
    ).toEqual([
      [1, [2]],
      [2, [1]],
    ]);
  });

  it('a recap accepts a mentioned character, and refuses an unknown one', () => {
    expect(createRecap(book, story, scenes('1-3'), { characters: ['x'] }).chapters).toHaveLength(1);
    expect(() => createRecap(book, story, scenes('1'), { characters: ['Bo'] })).toThrow(
      'No indexed scene has the character Bo',
    );
  });

  it('a recap has no later scenes', () => {
    const told = JSON.stringify(
      createRecap(book, story, selectScenesThrough(book, { chapter: 1, position: 1 }), { detailed: true }),
    );
    expect(told).toContain('summary x');
    expect(told).not.toMatch(/summary [yz]|"b"|"c"/);
  });

  it('findUnindexed lists the scenes that are not indexed', () => {
    expect(findUnindexed(story, scenes('1-3')).map(({ ref }) => ref)).toEqual(['3.1']);
  });
});

describe('appearances', () => {
  it('listCharactersIn leaves out mentioned characters, unless all is set', () => {
    expect(listCharactersIn(story, undefined, false)).toEqual(['ada', 'bo']);
    expect(listCharactersIn(story, undefined, true)).toEqual(['ada', 'bo', 'x']);
    expect(listCharactersIn(story, new Set(['d']), true)).toEqual([]);
  });

  it('findScenesWith keeps the order of the story, also past chapter 9', () => {
    const long = createTestBook(12, ...Array.from({ length: 10 }, () => 1));
    const known = ['c11s1', 'c2s1', 'c1s10', 'c1s2'].reduce(
      (all, slug) => replaceScene(all, createTestEntry(slug, 'x'), minting),
      createEmptyStory(),
    );
    expect(findScenesWith(long, known, 'ada').map(({ ref }) => ref)).toEqual(['1.2', '1.10', '2.1', '11.1']);
  });
});
