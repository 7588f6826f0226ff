import { NibError } from '../failure.ts';
import type { Book, Chapter, Scene } from './book.ts';
import { chapterAt, noScenes, parseReference, type Reference, sceneAt } from './reference.ts';

/** What a range says, before it is looked up in a book. All its references are of one kind. */
export interface Range {
  readonly form: 'one' | 'list' | 'span';
  /** Whether it names whole chapters, rather than scenes. */
  readonly whole: boolean;
  readonly references: readonly Reference[];
}

/** The scenes of a range that belong to one chapter, in the order of the range. */
interface SceneGroup {
  readonly chapter: Chapter;
  readonly scenes: readonly Scene[];
}

/** What a range means in a book: never without a scene. */
export interface Selection {
  readonly whole: boolean;
  readonly scenes: readonly Scene[];
  /** The same scenes by chapter. A chapter that a list names twice comes twice. */
  readonly groups: readonly SceneGroup[];
}

/** Reads a range: `3`, `3.2`, `1-5`, `1.1-3.2`, `1,3,5` or `1.1,2.3`. */
export function parseRange(text: string): Range {
  const trimmed = text.trim();
  if (trimmed === '')
    throw new NibError('The range is empty. Write for example 3, 3.2, 1-5, 1.1-3.2 or 1,3,5.');
  if (trimmed.includes(',')) return listOf(trimmed);
  if (trimmed.includes('-')) return spanOf(trimmed);
  const reference = parseReference(trimmed);
  return { form: 'one', whole: reference.position === undefined, references: [reference] };
}

/** Finds the scenes a range means; a list keeps its order and its repetitions. */
function resolveRange(book: Book, range: Range): Selection {
  const groups = range.form === 'span' ? spanGroups(book, range) : listGroups(book, range);
  const scenes = groups.flatMap((group) => group.scenes);
  if (scenes.length === 0)
    throw new NibError('None of these chapters has a scene yet. Add one with nib sc add.');
  return { whole: range.whole, scenes, groups };
}

/** Reads a range and finds its scenes. */
export function selectScenes(book: Book, text: string): Selection {
  return resolveRange(book, parseRange(text));
}

/** Everything up to and including a scene, or a whole chapter; nothing that comes after it. */
export function scenesThrough(book: Book, { chapter, position }: Reference): readonly Scene[] {
  if (position === undefined) chapterAt(book, chapter);
  else sceneAt(book, chapter, position);
  return book.chapters
    .slice(0, chapter)
    .flatMap(({ scenes }) => scenes)
    .filter((scene) => scene.chapter < chapter || position === undefined || scene.position <= position);
}

function listOf(text: string): Range {
  const items = text.split(',').map((item) => item.trim());
  const span = items.find((item) => item.includes('-'));
  if (span !== undefined) {
    throw new NibError(
      `${JSON.stringify(text)}: a list cannot hold the span ${span}. Name each, or ask twice.`,
    );
  }
  if (items.includes(''))
    throw new NibError(`${JSON.stringify(text)}: a comma stands where nothing follows or precedes it.`);
  return ofOneKind('list', items.map(parseReference), text);
}

function spanOf(text: string): Range {
  const at = text.indexOf('-');
  const ends = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (ends.includes(''))
    throw new NibError(`${JSON.stringify(text)}: a span needs a reference on both sides of its hyphen.`);
  const range = ofOneKind('span', ends.map(parseReference), text);
  const [first, last] = range.references;
  if (first !== undefined && last !== undefined && isBefore(last, first)) {
    throw new NibError(`${JSON.stringify(text)}: the span ends before it begins.`);
  }
  return range;
}

function ofOneKind(form: 'list' | 'span', references: readonly Reference[], text: string): Range {
  const whole = references[0]?.position === undefined;
  if (references.some(({ position }) => (position === undefined) !== whole)) {
    throw new NibError(
      `${JSON.stringify(text)} mixes chapters and scenes. Write either chapters (1-3) or scenes (1.1-3.2).`,
    );
  }
  return { form, whole, references };
}

function isBefore(a: Reference, b: Reference): boolean {
  return a.chapter < b.chapter || (a.chapter === b.chapter && (a.position ?? 0) < (b.position ?? 0));
}

function listGroups(book: Book, { references }: Range): readonly SceneGroup[] {
  const groups: { chapter: Chapter; scenes: Scene[] }[] = [];
  for (const { chapter: number, position } of references) {
    const chapter = chapterAt(book, number);
    const scenes = position === undefined ? chapter.scenes : [sceneAt(book, number, position)];
    if (scenes.length === 0) throw noScenes(number);
    const last = groups.at(-1);
    if (last?.chapter === chapter && position !== undefined) last.scenes.push(...scenes);
    else groups.push({ chapter, scenes: [...scenes] });
  }
  return groups;
}

/** Chapters without scenes inside a span are passed over; its ends have to exist. */
function spanGroups(book: Book, { references }: Range): readonly SceneGroup[] {
  const [first, last] = references;
  if (first === undefined || last === undefined) return [];
  for (const { chapter, position } of [first, last]) {
    if (position === undefined) chapterAt(book, chapter);
    else sceneAt(book, chapter, position);
  }
  return book.chapters
    .slice(first.chapter - 1, last.chapter)
    .map((chapter) => ({ chapter, scenes: chapter.scenes.filter((scene) => isWithin(scene, first, last)) }))
    .filter(({ scenes }) => scenes.length > 0);
}

function isWithin({ chapter, position }: Scene, first: Reference, last: Reference): boolean {
  if (chapter === first.chapter && first.position !== undefined && position < first.position) return false;
  return !(chapter === last.chapter && last.position !== undefined && position > last.position);
}
