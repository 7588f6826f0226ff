import { describe, expect, it } from 'vitest';
import { replaceScene } from '../../src/storydb/replace.ts';
import { sampleIndices, sampleVoice } from '../../src/voice/sample.ts';
import { bookWith } from '../books.ts';
import { emptyStory, entryFor } from '../stories.ts';

describe('a voice sample', () => {
  it.each([
    [0, false, ''],
    [5, false, '0,1,2,3,4'],
    [6, false, '0,1,2,3,4,5'],
    [7, false, '0,1,2,3,4,6'],
    [20, false, '0,3,7,11,15,19'],
    [50, false, '0,4,8,13,17,22,26,31,35,40,44,49'],
    [20, true, '0,1,3,5,6,8,10,12,13,15,17,19'],
  ])('of %i scenes, thorough %s, takes %s', (count, thorough, expected) => {
    expect(sampleIndices(count, thorough).join(',')).toBe(expected);
  });

  it('follows the story, whatever the order of the index, and passes over scenes the book has lost', () => {
    const story = ['c2s1', 'gone', 'c1s2', 'c1s1'].reduce(
      (known, slug) => replaceScene(known, entryFor(slug, 'bo'), { newId: () => 'i', indexedAt: 't' }),
      emptyStory(),
    );
    const sample = sampleVoice(bookWith(2, 1), story, 'ada', false);
    expect(sample.scenes.map(({ ref }) => ref)).toEqual(['1.1', '1.2', '2.1']);
    expect(sample).toMatchObject({ total: 3, lost: ['gone'] });
    expect(sampleVoice(bookWith(2, 1), story, 'bo', false)).toEqual({ scenes: [], total: 0, lost: [] });
  });
});
