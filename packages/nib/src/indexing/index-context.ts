import type { Book, Scene } from '../project/book.ts';
import { createRecap } from '../storydb/recap.ts';
import type { Story } from '../storydb/story.ts';

/** The input of `buildIndexContext`. */
export interface IndexContextInput {
  readonly book: Book;
  /** The accepted entries only: an unreviewed guess must not become the basis of other entries. */
  readonly story: Story;
  readonly characters: readonly string[];
  readonly scene: Scene;
  /** Schema errors of the first answer, on the second attempt. */
  readonly problems?: readonly string[];
}

/** How many earlier chapters the context recaps. */
const CHAPTERS_BACK = 2;

const RULES = `You keep the continuity notes of a novel. Read one scene and write down what later scenes must not contradict.

Answer with data in the given schema and nothing else.

- People and places are named by slugs: lower-case words joined by hyphens, such as ada-byron or the-old-mill. Use a slug
  that is known below for the same person or place; make a new one only for somebody or something new.
- scene.pov: the slug of the person through whose eyes the scene is told, or empty. scene.location: the id of the main place.
  scene.date: the day as YYYY-MM-DD if the text gives it or it follows from what is known, or empty. scene.time: the time of
  day in a few words, or empty. scene.summary: one sentence that says what happens.
- scene.scene_type: regular; interlude for a passage outside the run of chapters; document for a letter, a report or the like.
- facts: what is now true of the story. category is event (something happens), description (how somebody or something looks,
  sounds or is made), relationship (between people) or state (what somebody has, knows, wants or suffers from). summary says
  it in one sentence, detail adds what matters, source_text quotes the passage word for word, date and time as above.
- characters: everybody in the scene, each once. role is pov, present (is there) or mentioned (is only spoken or thought of).
- locations: every place in which something happens, each once, with id, name, type and a description of a sentence.
- Write nothing twice and nothing the text does not say. A list may be empty. Unknown texts are empty strings.`;

/** The `context` field of `continuity-index`, ordered from general rules to the scene itself. */
export function buildIndexContext(given: IndexContextInput): string {
  const { book, story, characters, scene, problems = [] } = given;
  const parts = [
    RULES,
    scene.interlude ? 'This scene stands in an interlude: its scene_type is interlude or document.' : '',
    characters.length === 0 ? '' : `Known people: ${characters.join(', ')}`,
    describeKnownPlaces(story),
    describeEarlierScenes(book, story, scene),
    `The scene is ${scene.slug} (${scene.ref}). Its text is in the file ${scene.path} of the project: read it all.`,
    describeProblems(problems),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function describeKnownPlaces({ locations }: Story): string {
  if (locations.rows.length === 0) return '';
  return `Known places: ${locations.rows.map(({ id, name }) => `${id} (${name})`).join(', ')}`;
}

function describeEarlierScenes(book: Book, story: Story, { chapter, position }: Scene): string {
  const known = new Set(story.scenes.rows.map(({ scene }) => scene));
  const scenes = book.chapters
    .slice(Math.max(0, chapter - 1 - CHAPTERS_BACK), chapter)
    .flatMap((one) => one.scenes)
    .filter((one) => known.has(one.slug) && (one.chapter < chapter || one.position < position));
  if (scenes.length === 0) return '';
  return `What happened in the scenes before it:\n\n${JSON.stringify(createRecap(book, story, scenes))}`;
}

function describeProblems(problems: readonly string[]): string {
  if (problems.length === 0) return '';
  const list = problems.map((problem) => `- ${problem}`).join('\n');
  return `Your answer before did not keep to the schema. Mend this and answer in full:\n${list}`;
}
