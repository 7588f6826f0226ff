import { NibError } from '../failure.ts';
import type { Book, Scene } from '../project/book.ts';
import type { Row } from './columns.ts';
import type { Story } from './story.ts';

/** One scene of a recap; what is empty is left out. */
interface RecapScene {
  readonly slug: string;
  /** Its place in the chapter, also when other scenes of the chapter were left out. */
  readonly position: number;
  readonly pov?: string;
  readonly location?: string;
  readonly date?: string;
  readonly time?: string;
  readonly summary?: string;
  readonly indexed: boolean;
  readonly facts?: readonly {
    readonly category: string;
    readonly summary: string;
    readonly detail?: string;
  }[];
  readonly characters?: readonly { readonly character: string; readonly role: string }[];
}

/** One chapter of a recap with those of its scenes that were asked for. */
interface RecapChapter {
  readonly chapter: number;
  readonly name?: string;
  readonly interlude?: boolean;
  readonly scenes: readonly RecapScene[];
}

/** What happened in some scenes, as the story database has it. */
export interface Recap {
  readonly chapters: readonly RecapChapter[];
}

/** What a recap shall tell. */
export interface RecapOptions {
  /** Facts, places, dates and those only mentioned as well. */
  readonly detailed?: boolean;
  /** Only scenes with one of these characters in any role; all scenes when there are none. */
  readonly characters?: readonly string[];
}

/** Tells what happened in these scenes and in no other; they keep their order. */
export function recapOf(
  book: Book,
  story: Story,
  scenes: readonly Scene[],
  options: RecapOptions = {},
): Recap {
  const wanted = options.characters ?? [];
  requireKnown(story, wanted);
  const told = wanted.length === 0 ? scenes : scenes.filter(({ slug }) => hasAny(story, slug, wanted));
  const chapters: { chapter: number; name?: string; interlude?: boolean; scenes: RecapScene[] }[] = [];
  for (const scene of told) {
    const last = chapters.at(-1);
    const line = recapScene(story, scene, options.detailed ?? false);
    if (last?.chapter === scene.chapter) last.scenes.push(line);
    else chapters.push({ ...chapterHead(book, scene.chapter), scenes: [line] });
  }
  return { chapters };
}

/** Those of the scenes that the story database does not know. */
export function unindexed(story: Story, scenes: readonly Scene[]): readonly Scene[] {
  const known = new Set(story.scenes.rows.map(({ scene }) => scene));
  return scenes.filter(({ slug }) => !known.has(slug));
}

function requireKnown(story: Story, characters: readonly string[]): void {
  const unknown = characters.find(
    (slug) => !story.scene_characters.rows.some(({ character }) => character === slug),
  );
  if (unknown === undefined) return;
  throw new NibError(
    `No indexed scene has the character ${unknown}. nib ct characters --all shows who is known.`,
  );
}

function hasAny(story: Story, slug: string, characters: readonly string[]): boolean {
  return story.scene_characters.rows.some(
    ({ scene, character }) => scene === slug && characters.includes(character),
  );
}

function chapterHead(book: Book, number: number): Omit<RecapChapter, 'scenes'> {
  const { name = '', interlude = false } = book.chapters[number - 1] ?? {};
  return { chapter: number, ...(name === '' ? {} : { name }), ...(interlude ? { interlude } : {}) };
}

function recapScene(story: Story, { slug, position }: Scene, detailed: boolean): RecapScene {
  const row = story.scenes.rows.find(({ scene }) => scene === slug);
  const { pov = '', location = '', date = '', time = '', summary = '' } = row ?? {};
  const facts = detailed ? story.facts.rows.filter(({ scene }) => scene === slug).map(factOf) : [];
  const characters = story.scene_characters.rows
    .filter(({ scene, role }) => scene === slug && (detailed || role !== 'mentioned'))
    .map(({ character, role }) => ({ character, role }));
  return {
    slug,
    position,
    ...filled(detailed ? { pov, location, date, time, summary } : { pov, summary }),
    indexed: row !== undefined,
    ...(facts.length === 0 ? {} : { facts }),
    ...(characters.length === 0 ? {} : { characters }),
  };
}

function factOf({ category, summary, detail }: Row<'facts'>): NonNullable<RecapScene['facts']>[number] {
  return { category, summary, ...filled({ detail }) };
}

function filled(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}
