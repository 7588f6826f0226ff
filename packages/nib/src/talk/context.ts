import type { Book } from '../project/book.ts';
import type { Character } from '../project/character.ts';
import { scenesThrough } from '../project/range.ts';
import type { Reference } from '../project/reference.ts';
import { scenesWith } from '../storydb/appearances.ts';
import { recapOf } from '../storydb/recap.ts';
import type { Story } from '../storydb/story.ts';

/** Who is talked to, and at which point of the story. */
export interface Meeting {
  readonly book: Book;
  readonly story: Story;
  readonly character: Character;
  readonly at: Reference;
}

/**
 * What a backend is told to speak as a character: the profile, and what happened where the character was, up to the
 * scene and nothing after it. Later scenes of the same chapter are not in it.
 */
export function talkContext({ book, story, character, at }: Meeting): string {
  const { name, slug, text } = character;
  const moment = at.position === undefined ? `chapter ${at.chapter}` : `scene ${at.chapter}.${at.position}`;
  const parts = [
    `You are ${name} (${slug}), a person in a novel. The author talks with you at the end of ${moment}.`,
    `This is your profile, as the author keeps it:\n\n${fenced('yaml', text.trim())}`,
    memories(book, story, slug, at),
    `Answer as ${name} and only as ${name}: in the first person, in your own words and manner, with your own opinions and
blind spots. You know what you have lived through up to ${moment}, and what your profile says you know; of anything later, and of
what happened where you were not, you know nothing. When you do not know, say so as you would. Do not step out of the
part, do not speak of models, prompts or files, and do not look anything up: all you need is here. Begin when you are
spoken to.`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function memories(book: Book, story: Story, slug: string, at: Reference): string {
  const until = new Set(scenesThrough(book, at));
  const lived = scenesWith(book, story, slug).filter((scene) => until.has(scene));
  if (lived.length === 0)
    return 'The index has no scene with you up to this point: go by your profile alone.';
  const recap = JSON.stringify(recapOf(book, story, lived, { detailed: true }));
  return `This is what you have lived through so far:\n\n${fenced('json', recap)}`;
}

/** A fence that the text itself does not close. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
