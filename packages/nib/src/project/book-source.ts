import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { NibError } from '../failure.ts';

/** Larger files than this were not written by a person. */
const BYTES = 1024 * 1024;

/** A value that was left out, in the ways YAML has for it. */
const NOTHING: ReadonlySet<string> = new Set(['', '~', 'null', 'Null', 'NULL']);

const YES = /^(y|yes|on|true)$/i;
const NO = /^(n|no|off|false)$/i;

/** A parsed book.yaml that reads its values as they were written and tells where they stand. */
export interface BookSource {
  readonly front: Node | undefined;
  readonly body: Node | undefined;
  /** The document with the chapters, for edits. */
  readonly document: Document;
  text(map: Node | undefined, key: string): string;
  flag(map: Node | undefined, key: string): boolean;
  map(map: Node | undefined, key: string): YAMLMap | undefined;
  list(map: Node | undefined, key: string): readonly Node[];
  asMap(node: Node, what: string): YAMLMap;
  scalar(node: Node, what: string): string;
  /** The node a key stands for, to tell its line. */
  at(map: Node | undefined, key: string): Node | undefined;
  /** The line a node stands on, from 1. */
  line(node: Node | undefined): number;
  problem(node: Node | undefined, sentence: string): NibError;
}

/**
 * Parses book.yaml: one document about the book, one with its chapters, and what may follow is left alone. Values are
 * taken as they were written, so that a scene may be called 007 or true.
 */
export function parseBook(text: string, file: string): BookSource {
  if (Buffer.byteLength(text) > BYTES)
    throw new NibError(`${file} is larger than 1 MiB; it should only list chapters and scenes.`);
  const lines = new LineCounter();
  const documents = parsed(text, lines, file);
  for (const { errors } of documents.slice(0, 2)) {
    const [first] = errors;
    if (first !== undefined) throw new NibError(`${file}:${lineOf(lines, first.pos[0])}: ${first.message}`);
  }
  const [front, document] = documents;
  if (front === undefined || document === undefined) {
    throw new NibError(
      `${file} has ${documents.length === 0 ? 'no YAML document' : 'one YAML document'} and needs two: the title and author, a line with ---, then book: with its chapters.`,
    );
  }
  const line = (node: Node | undefined): number => lineOf(lines, node?.range?.[0] ?? document.range[0]);
  return sourceOf(front, document, { file, line });
}

type Parsed = Document.Parsed;

function parsed(text: string, lineCounter: LineCounter, file: string): readonly Parsed[] {
  try {
    return [...parseAllDocuments(text, { schema: 'failsafe', lineCounter, prettyErrors: false })];
  } catch {
    throw new NibError(`${file} nests its values too deep to be read.`);
  }
}

interface Place {
  readonly file: string;
  readonly line: BookSource['line'];
}

function sourceOf(front: Parsed, document: Parsed, { file, line }: Place): BookSource {
  const problem = (node: Node | undefined, sentence: string): NibError =>
    new NibError(`${file}:${line(node)}: ${sentence}`);
  const find = (map: Node | undefined, key: string): Node | undefined => {
    const owner = map === front.contents ? front : document;
    const pair = isMap(map) ? map.items.find((item) => keyOf(item) === key) : undefined;
    return resolved(pair?.value, owner);
  };
  const scalar = (node: Node, what: string): string => {
    const value = resolved(node, document);
    if (!isScalar(value)) throw problem(node, `${what} should be plain text here, not a list or a map.`);
    return textOf(value);
  };
  const asMap = (node: Node, what: string): YAMLMap => {
    const value = resolved(node, document);
    if (!isMap(value)) throw problem(node, `${what} should be a map of keys and values.`);
    return value;
  };
  const text = (map: Node | undefined, key: string): string => {
    const node = find(map, key);
    return node === undefined ? '' : scalar(node, key);
  };
  return {
    front: front.contents ?? undefined,
    body: document.contents ?? undefined,
    document,
    text,
    flag: (map, key) => {
      const written = text(map, key);
      if (YES.test(written)) return true;
      if (written === '' || NO.test(written)) return false;
      throw problem(find(map, key), `${key} is true or false, and ${JSON.stringify(written)} is neither.`);
    },
    map: (map, key) => {
      const node = find(map, key);
      return node === undefined || isNothing(node) ? undefined : asMap(node, key);
    },
    list: (map, key) => {
      const node = find(map, key);
      if (node === undefined || isNothing(node)) return [];
      if (!isSeq(node)) throw problem(node, `${key} should be a list.`);
      return (node as YAMLSeq<Node>).items;
    },
    asMap,
    scalar,
    at: find,
    line,
    problem,
  };
}

function resolved(value: unknown, document: Document): Node | undefined {
  if (isAlias(value)) return value.resolve(document) as Node | undefined;
  return (value ?? undefined) as Node | undefined;
}

function keyOf({ key }: Pair): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

function isNothing(node: Node): boolean {
  return isScalar(node) && textOf(node) === '';
}

function textOf(scalar: Scalar): string {
  const value = String(scalar.value ?? '');
  return scalar.type === 'PLAIN' && NOTHING.has(value) ? '' : value;
}

function lineOf(lines: LineCounter, offset: number): number {
  return Math.max(lines.linePos(offset).line, 1);
}
