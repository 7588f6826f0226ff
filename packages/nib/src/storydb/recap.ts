import { NibError } from '../nib-error.ts';
import type { Book, Scene } from '../project/book.ts';
import type { Row } from './columns.ts';
import type { Story } from './story.ts';

/** One scene of a recap; `omitEmpty` drops empty fields. */
interface RecapScene {
  readonly slug: string;
  /** Its position in the chapter, which counts scenes outside of the recap too. */
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

/** One chapter of a recap with the selected scenes. */
interface RecapChapter {
  readonly chapter: number;
  readonly name?: string;
  readonly interlude?: boolean;
  readonly scenes: readonly RecapScene[];
}

/** The recap of some scenes from the story database. */
export interface Recap {
  readonly chapters: readonly RecapChapter[];
}

/** Options of `createRecap`. */
export interface RecapOptions {
  /** Also facts, places, dates and mentioned characters. */
  readonly detailed?: boolean;
  /** Only scenes with one of these characters in any role; an empty list means all scenes. */
  readonly characters?: readonly string[];
}

/** Creates the recap of exactly `scenes`, in their order: a character must not learn later events. */
export function createRecap(
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
    const line = createRecapScene(story, scene, options.detailed ?? false);
    if (last?.chapter === scene.chapter) last.scenes.push(line);
    else chapters.push({ ...createChapterHead(book, scene.chapter), scenes: [line] });
  }
  return { chapters };
}

/** The scenes without a row in the story database. */
export function findUnindexed(story: Story, scenes: readonly Scene[]): readonly Scene[] {
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

function createChapterHead(book: Book, number: number): Omit<RecapChapter, 'scenes'> {
  const { name = '', interlude = false } = book.chapters[number - 1] ?? {};
  return { chapter: number, ...(name === '' ? {} : { name }), ...(interlude ? { interlude } : {}) };
}

function createRecapScene(story: Story, { slug, position }: Scene, detailed: boolean): RecapScene {
  const row = story.scenes.rows.find(({ scene }) => scene === slug);
  const { pov = '', location = '', date = '', time = '', summary = '' } = row ?? {};
  const facts = detailed ? story.facts.rows.filter(({ scene }) => scene === slug).map(createRecapFact) : [];
  const characters = story.scene_characters.rows
    .filter(({ scene, role }) => scene === slug && (detailed || role !== 'mentioned'))
    .map(({ character, role }) => ({ character, role }));
  return {
    slug,
    position,
    ...omitEmpty(detailed ? { pov, location, date, time, summary } : { pov, summary }),
    indexed: row !== undefined,
    ...(facts.length === 0 ? {} : { facts }),
    ...(characters.length === 0 ? {} : { characters }),
  };
}

function createRecapFact({
  category,
  summary,
  detail,
}: Row<'facts'>): NonNullable<RecapScene['facts']>[number] {
  return { category, summary, ...omitEmpty({ detail }) };
}

function omitEmpty(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}
