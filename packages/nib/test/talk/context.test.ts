import { describe, expect, it } from 'vitest';
import { replaceScene } from '../../src/storydb/replace.ts';
import type { Story } from '../../src/storydb/story.ts';
import { talkContext } from '../../src/talk/context.ts';
import { bookWith } from '../books.ts';
import { emptyStory, entryFor } from '../stories.ts';

const character = { slug: 'ada', name: 'Ada Byron', path: 'characters/ada.yaml', text: 'name: Ada Byron\n' };
const book = bookWith(2, 3);
const minting = { newId: () => 'X', indexedAt: 't' };
const story = ['c1s1', 'c1s2', 'c2s1', 'c2s2', 'c2s3'].reduce<Story>((before, slug) => {
  const role = slug === 'c1s2' ? 'mentioned' : 'present';
  return replaceScene(
    before,
    entryFor(slug, `<${slug}>`, { characters: [{ character: 'ada', role }] }),
    minting,
  );
}, emptyStory());
const at = (chapter: number, position?: number): string =>
  talkContext({ book, story, character, at: position === undefined ? { chapter } : { chapter, position } });

describe('what a character is told', () => {
  it('ends with the scene, also within its chapter', () => {
    const text = at(2, 2);
    expect(text).toContain('summary <c1s1>');
    expect(text).toContain('fact 1 <c2s2>');
    expect(text).not.toContain('c2s3');
    expect(text).toContain('at the end of scene 2.2');
    expect(at(2)).toContain('fact 1 <c2s3>');
    expect(at(1)).not.toContain('c2s');
  });

  it('leaves out where the character was not', () => {
    expect(at(2)).not.toContain('summary <c1s2>');
  });

  it('has the profile as it is written, whatever is in it', () => {
    expect(at(1)).toContain('```yaml\nname: Ada Byron\n```');
    const text = 'name: Ada\nquote: "````"\n';
    expect(talkContext({ book, story, character: { ...character, text }, at: { chapter: 1 } })).toContain(
      '`````yaml\nname: Ada',
    );
  });

  it('says that nothing is known when nothing is', () => {
    const given = { book, story: emptyStory(), character, at: { chapter: 1 } };
    expect(talkContext(given)).toContain('no scene with you up to this point');
  });

  it('refuses a scene that is not in the book', () => {
    expect(() => at(2, 4)).toThrow('There is no scene 2.4');
  });
});
