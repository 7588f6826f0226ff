import { describe, expect, it } from 'vitest';
import { scenesThrough, selectScenes } from '../../src/project/range.ts';
import { charactersIn, scenesWith } from '../../src/storydb/appearances.ts';
import { recapOf, unindexed } from '../../src/storydb/recap.ts';
import { replaceScene } from '../../src/storydb/replace.ts';
import { bookOf, bookWith } from '../books.ts';
import { emptyStory, entryFor } from '../stories.ts';

const minting = { newId: () => 'ID', indexedAt: 't' };
const book = bookOf(
  'book:\n  chapters:\n  - name: First\n    scenes: [a, b]\n  - interlude: true\n    scenes: [c]\n  - scenes: [d]\n',
);
const bo = [{ character: 'bo', role: 'present' }];
const story = [
  entryFor('a', 'x'),
  entryFor('b', 'y', { characters: bo }),
  entryFor('c', 'z', { characters: bo }),
].reduce((known, entry) => replaceScene(known, entry, minting), emptyStory());
const scenes = (range: string) => selectScenes(book, range).scenes;

describe('a recap', () => {
  it('tells the summary, the view and who is there', () => {
    expect(recapOf(book, story, scenes('1-3'))).toEqual({
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

  it('tells more in detail, and leaves out what is empty', () => {
    const [chapter] = recapOf(book, story, scenes('1.1'), { detailed: true }).chapters;
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

  it('keeps positions that match references when it is about one character', () => {
    const { chapters } = recapOf(book, story, scenes('1-3'), { characters: ['bo'] });
    expect(
      chapters.map(({ chapter, scenes: told }) => [chapter, told.map(({ position }) => position)]),
    ).toEqual([
      [1, [2]],
      [2, [1]],
    ]);
  });

  it('takes a character who is only mentioned, and refuses one nobody knows', () => {
    expect(recapOf(book, story, scenes('1-3'), { characters: ['x'] }).chapters).toHaveLength(1);
    expect(() => recapOf(book, story, scenes('1'), { characters: ['Bo'] })).toThrow(
      'No indexed scene has the character Bo',
    );
  });

  it('has nothing of what comes after a scene', () => {
    const told = JSON.stringify(
      recapOf(book, story, scenesThrough(book, { chapter: 1, position: 1 }), { detailed: true }),
    );
    expect(told).toContain('summary x');
    expect(told).not.toMatch(/summary [yz]|"b"|"c"/);
  });

  it('can say which scenes are not indexed', () => {
    expect(unindexed(story, scenes('1-3')).map(({ ref }) => ref)).toEqual(['3.1']);
  });
});

describe('appearances', () => {
  it('list characters without those only mentioned, unless asked', () => {
    expect(charactersIn(story, undefined, false)).toEqual(['ada', 'bo']);
    expect(charactersIn(story, undefined, true)).toEqual(['ada', 'bo', 'x']);
    expect(charactersIn(story, new Set(['d']), true)).toEqual([]);
  });

  it('come in the order of the story, also past the ninth', () => {
    const long = bookWith(12, ...Array.from({ length: 10 }, () => 1));
    const known = ['c11s1', 'c2s1', 'c1s10', 'c1s2'].reduce(
      (all, slug) => replaceScene(all, entryFor(slug, 'x'), minting),
      emptyStory(),
    );
    expect(scenesWith(long, known, 'ada').map(({ ref }) => ref)).toEqual(['1.2', '1.10', '2.1', '11.1']);
  });
});
