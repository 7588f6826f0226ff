import { NibError } from '../nib-error.ts';
import type { Book, Chapter, Scene } from './book.ts';
import { createNoScenesError, getChapter, getScene, parseReference, type Reference } from './reference.ts';

/** A parsed range, before the lookup in a book. All its references are of the same kind. */
export interface Range {
  readonly form: 'one' | 'list' | 'span';
  /** Whether the references name whole chapters instead of scenes. */
  readonly whole: boolean;
  readonly references: readonly Reference[];
}

/** The scenes of a range that belong to one chapter, in the order of the range. */
interface SceneGroup {
  readonly chapter: Chapter;
  readonly scenes: readonly Scene[];
}

/** The scenes of a range in a book; at least one. */
export interface Selection {
  readonly whole: boolean;
  readonly scenes: readonly Scene[];
  /** The same scenes by chapter. A chapter that a list names twice appears twice. */
  readonly groups: readonly SceneGroup[];
}

/** Parses a range: `3`, `3.2`, `1-5`, `1.1-3.2`, `1,3,5` or `1.1,2.3`. */
export function parseRange(text: string): Range {
  const trimmed = text.trim();
  if (trimmed === '')
    throw new NibError('The range is empty. Write for example 3, 3.2, 1-5, 1.1-3.2 or 1,3,5.');
  if (trimmed.includes(',')) return parseList(trimmed);
  if (trimmed.includes('-')) return parseSpan(trimmed);
  const reference = parseReference(trimmed);
  return { form: 'one', whole: reference.position === undefined, references: [reference] };
}

/** Finds the scenes of a range; a list keeps its order and its repetitions. */
function resolveRange(book: Book, range: Range): Selection {
  const groups = range.form === 'span' ? groupSpan(book, range) : groupList(book, range);
  const scenes = groups.flatMap((group) => group.scenes);
  if (scenes.length === 0)
    throw new NibError('None of these chapters has a scene yet. Add one with nib sc add.');
  return { whole: range.whole, scenes, groups };
}

/** Parses a range and finds its scenes. */
export function selectScenes(book: Book, text: string): Selection {
  return resolveRange(book, parseRange(text));
}

/** All scenes up to and including a scene or a whole chapter. */
export function selectScenesThrough(book: Book, { chapter, position }: Reference): readonly Scene[] {
  if (position === undefined) getChapter(book, chapter);
  else getScene(book, chapter, position);
  return book.chapters
    .slice(0, chapter)
    .flatMap(({ scenes }) => scenes)
    .filter((scene) => scene.chapter < chapter || position === undefined || scene.position <= position);
}

function parseList(text: string): Range {
  const items = text.split(',').map((item) => item.trim());
  const span = items.find((item) => item.includes('-'));
  if (span !== undefined) {
    throw new NibError(
      `${JSON.stringify(text)}: a list cannot hold the span ${span}. Name each, or ask twice.`,
    );
  }
  if (items.includes(''))
    throw new NibError(`${JSON.stringify(text)}: a comma stands where nothing follows or precedes it.`);
  return requireOneKind('list', items.map(parseReference), text);
}

function parseSpan(text: string): Range {
  const at = text.indexOf('-');
  const ends = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (ends.includes(''))
    throw new NibError(`${JSON.stringify(text)}: a span needs a reference on both sides of its hyphen.`);
  const range = requireOneKind('span', ends.map(parseReference), text);
  const [first, last] = range.references;
  if (first !== undefined && last !== undefined && isBefore(last, first)) {
    throw new NibError(`${JSON.stringify(text)}: the span ends before it begins.`);
  }
  return range;
}

function requireOneKind(form: 'list' | 'span', references: readonly Reference[], text: string): Range {
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

function groupList(book: Book, { references }: Range): readonly SceneGroup[] {
  const groups: { chapter: Chapter; scenes: Scene[] }[] = [];
  for (const { chapter: number, position } of references) {
    const chapter = getChapter(book, number);
    const scenes = position === undefined ? chapter.scenes : [getScene(book, number, position)];
    if (scenes.length === 0) throw createNoScenesError(number);
    const last = groups.at(-1);
    if (last?.chapter === chapter && position !== undefined) last.scenes.push(...scenes);
    else groups.push({ chapter, scenes: [...scenes] });
  }
  return groups;
}

/** Chapters without scenes inside a span are skipped; its ends must exist. */
function groupSpan(book: Book, { references }: Range): readonly SceneGroup[] {
  const [first, last] = references;
  if (first === undefined || last === undefined) return [];
  for (const { chapter, position } of [first, last]) {
    if (position === undefined) getChapter(book, chapter);
    else getScene(book, chapter, position);
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
