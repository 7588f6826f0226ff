import { isAbsolute, join, normalize, relative } from 'node:path';
import type { Node } from 'yaml';
import { isBelow } from '../files/project-path.ts';
import { toOneLine } from '../one-line.ts';
import { type BookSource, parseBook } from './book-source.ts';
import { describeSlugProblem } from './slug.ts';

/** One scene at its position in the book. */
export interface Scene {
  readonly slug: string;
  /** The number of its chapter, from 1, interludes counted. */
  readonly chapter: number;
  /** Its position in the chapter, from 1. */
  readonly position: number;
  /** `chapter.position`, the reference in commands and messages. */
  readonly ref: string;
  /** Its file, relative to the project's root. */
  readonly path: string;
  /** Its line in book.yaml. */
  readonly line: number;
  readonly interlude: boolean;
}

/** One chapter; `name` is empty when the author gave none. */
export interface Chapter {
  readonly number: number;
  readonly name: string;
  readonly interlude: boolean;
  /** The directory of the chapter's scenes, relative to the project's root. */
  readonly directory: string;
  readonly scenes: readonly Scene[];
}

/** The contents of book.yaml. */
export interface Book {
  readonly title: string;
  readonly author: string;
  /** A BCP 47 tag, for example `en-GB`; empty when book.yaml names none. */
  readonly language: string;
  readonly chapters: readonly Chapter[];
}

/** The file of a book; `isDirectory` decides whether an absolute `base_dir` is meant relative to the root. */
export interface BookLocation {
  readonly root: string;
  readonly file: string;
  readonly isDirectory: (path: string) => boolean;
}

/** Parses book.yaml; every error names the file and the line. */
export function readBook(text: string, place: BookLocation): Book {
  const source = parseBook(text, place.file);
  const front = source.front;
  const book = source.map(source.body, 'book');
  const base = resolveBaseDirectory(source, book, place);
  const chapters = source.list(book, 'chapters').map((node, index): Chapter => {
    return readChapter(source, node, { root: place.root, base, number: index + 1 });
  });
  return {
    title: toOneLine(source.text(front, 'title')),
    author: toOneLine(source.text(front, 'author')),
    language: readLanguage(source),
    chapters,
  };
}

function readLanguage(source: BookSource): string {
  const written = source.text(source.front, 'language').trim();
  if (written === '' || /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(written)) return written;
  throw source.problem(
    source.at(source.front, 'language'),
    `The language ${JSON.stringify(written)} is no language tag. Write for example en, en-GB or de.`,
  );
}

/** All scenes of the book in the order of the story. */
export function listScenes(book: Book): readonly Scene[] {
  return book.chapters.flatMap(({ scenes }) => scenes);
}

interface ChapterLocation {
  readonly root: string;
  readonly base: string;
  readonly number: number;
}

function readChapter(source: BookSource, node: Node, place: ChapterLocation): Chapter {
  const map = source.asMap(node, `chapter ${place.number}`);
  const subdir = source.text(map, 'subdir');
  const directory = normalize(join(place.base, subdir));
  if (isAbsolute(subdir) || !isBelow(place.base, directory)) {
    throw source.problem(
      source.at(map, 'subdir'),
      `The subdir ${subdir} leads out of ${relative(place.root, place.base) || 'the project'}. Name a directory inside it.`,
    );
  }
  const interlude = source.flag(map, 'interlude');
  const name = toOneLine(source.text(map, 'name'));
  const kept = relative(place.root, directory);
  const scenes = source.list(map, 'scenes').map((scene, index): Scene => {
    const slug = readSlug(source, scene);
    const position = index + 1;
    const ref = `${place.number}.${position}`;
    const path = join(kept, `${slug}.md`);
    return { slug, chapter: place.number, position, ref, path, line: source.line(scene), interlude };
  });
  return { number: place.number, name, interlude, directory: kept, scenes };
}

function readSlug(source: BookSource, node: Node): string {
  const slug = source.scalar(node, 'A scene');
  const problem = describeSlugProblem(slug);
  if (problem === undefined) return slug;
  throw source.problem(
    node,
    `The scene ${JSON.stringify(slug)} ${problem}. A scene is the name of a file in its chapter's directory, or in a folder there, without .md.`,
  );
}

function resolveBaseDirectory(
  source: BookSource,
  book: Node | undefined,
  { root, isDirectory }: BookLocation,
): string {
  const written = source.text(book, 'base_dir');
  const joined = join(root, written);
  const base = isAbsolute(written) && !isDirectory(joined) ? normalize(written) : joined;
  if (isBelow(root, base)) return base;
  throw source.problem(
    source.at(book, 'base_dir'),
    `The base_dir ${written} leads out of the project. Name a directory inside it.`,
  );
}
