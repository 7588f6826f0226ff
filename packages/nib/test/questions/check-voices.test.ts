import { describe, expect, it } from 'vitest';
import { pickSampleIndices, sampleVoice } from '../../src/questions/check-voices.ts';
import { replaceScene } from '../../src/storydb/replace-scene.ts';
import { createTestBook } from '../books.ts';
import { createEmptyStory, createTestEntry } from '../stories.ts';

describe('a voice sample', () => {
  it.each([
    [0, false, ''],
    [5, false, '0,1,2,3,4'],
    [6, false, '0,1,2,3,4,5'],
    [7, false, '0,1,2,3,4,6'],
    [20, false, '0,3,7,11,15,19'],
    [50, false, '0,4,8,13,17,22,26,31,35,40,44,49'],
    [20, true, '0,1,3,5,6,8,10,12,13,15,17,19'],
  ])('a voice sample of %i scenes, thorough %s, takes %s', (count, thorough, expected) => {
    expect(pickSampleIndices(count, thorough).join(',')).toBe(expected);
  });

  it('a voice sample follows the story, not the index, and skips scenes that the book has lost', () => {
    const story = ['c2s1', 'gone', 'c1s2', 'c1s1'].reduce(
      (known, slug) => replaceScene(known, createTestEntry(slug, 'bo'), { newId: () => 'i', indexedAt: 't' }),
      createEmptyStory(),
    );
    const sample = sampleVoice(createTestBook(2, 1), story, 'ada', false);
    expect(sample.scenes.map(({ ref }) => ref)).toEqual(['1.1', '1.2', '2.1']);
    expect(sample).toMatchObject({ total: 3, lost: ['gone'] });
    expect(sampleVoice(createTestBook(2, 1), story, 'bo', false)).toEqual({ scenes: [], total: 0, lost: [] });
  });
});
