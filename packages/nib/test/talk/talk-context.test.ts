import { describe, expect, it } from 'vitest';
import { replaceScene } from '../../src/storydb/replace-scene.ts';
import type { Story } from '../../src/storydb/story.ts';
import { buildTalkContext } from '../../src/talk/talk-context.ts';
import { createTestBook } from '../books.ts';
import { createEmptyStory, createTestEntry } from '../stories.ts';

const character = { slug: 'ada', name: 'Ada Byron', path: 'characters/ada.yaml', text: 'name: Ada Byron\n' };
const book = createTestBook(2, 3);
const minting = { newId: () => 'X', indexedAt: 't' };
const story = ['c1s1', 'c1s2', 'c2s1', 'c2s2', 'c2s3'].reduce<Story>((before, slug) => {
  const role = slug === 'c1s2' ? 'mentioned' : 'present';
  return replaceScene(
    before,
    createTestEntry(slug, `<${slug}>`, { characters: [{ character: 'ada', role }] }),
    minting,
  );
}, createEmptyStory());
const at = (chapter: number, position?: number): string =>
  buildTalkContext({
    book,
    story,
    character,
    at: position === undefined ? { chapter } : { chapter, position },
  });

describe('what a character is told', () => {
  it('the context of a talk ends with the scene, also within its chapter', () => {
    const text = at(2, 2);
    expect(text).toContain('summary <c1s1>');
    expect(text).toContain('fact 1 <c2s2>');
    expect(text).not.toContain('c2s3');
    expect(text).toContain('at the end of scene 2.2');
    expect(at(2)).toContain('fact 1 <c2s3>');
    expect(at(1)).not.toContain('c2s');
  });

  it('the context of a talk leaves out scenes without the character', () => {
    expect(at(2)).not.toContain('summary <c1s2>');
  });

  it('the context of a talk has the profile unchanged', () => {
    expect(at(1)).toContain('```yaml\nname: Ada Byron\n```');
    const text = 'name: Ada\nquote: "````"\n';
    expect(
      buildTalkContext({ book, story, character: { ...character, text }, at: { chapter: 1 } }),
    ).toContain('`````yaml\nname: Ada');
  });

  it('the context of a talk mentions an empty index', () => {
    const given = { book, story: createEmptyStory(), character, at: { chapter: 1 } };
    expect(buildTalkContext(given)).toContain('no scene with you up to this point');
  });

  it('a talk at an unknown scene is refused', () => {
    expect(() => at(2, 4)).toThrow('There is no scene 2.4');
  });
});
