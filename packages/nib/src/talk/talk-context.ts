import type { Book } from '../project/book.ts';
import type { Character } from '../project/character.ts';
import { selectScenesThrough } from '../project/range.ts';
import type { Reference } from '../project/reference.ts';
import { findScenesWith } from '../storydb/appearances.ts';
import { createRecap } from '../storydb/recap.ts';
import type { Story } from '../storydb/story.ts';

/** The input of `buildTalkContext`. */
export interface TalkContextInput {
  readonly book: Book;
  readonly story: Story;
  readonly character: Character;
  readonly at: Reference;
}

/**
 * The `context` field of `character-talk`: the profile, and a recap of the scenes with the character up to `at`. Later
 * scenes are left out, also those of the same chapter.
 */
export function buildTalkContext({ book, story, character, at }: TalkContextInput): string {
  const { name, slug, text } = character;
  const moment = at.position === undefined ? `chapter ${at.chapter}` : `scene ${at.chapter}.${at.position}`;
  const parts = [
    `You are ${name} (${slug}), a person in a novel. The author talks with you at the end of ${moment}.`,
    `This is your profile, as the author keeps it:\n\n${fenceText('yaml', text.trim())}`,
    describeMemories(book, story, slug, at),
    `Answer as ${name} and only as ${name}: in the first person, in your own words and manner, with your own opinions and
blind spots. You know what you have lived through up to ${moment}, and what your profile says you know; of anything later, and of
what happened where you were not, you know nothing. When you do not know, say so as you would. Do not step out of the
part, do not speak of models, prompts or files, and do not look anything up: all you need is here. Begin when you are
spoken to.`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function describeMemories(book: Book, story: Story, slug: string, at: Reference): string {
  const until = new Set(selectScenesThrough(book, at));
  const lived = findScenesWith(book, story, slug).filter((scene) => until.has(scene));
  if (lived.length === 0)
    return 'The index has no scene with you up to this point: go by your profile alone.';
  const recap = JSON.stringify(createRecap(book, story, lived, { detailed: true }));
  return `This is what you have lived through so far:\n\n${fenceText('json', recap)}`;
}

/** Fences a text with more backticks than it contains in a row. */
function fenceText(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
