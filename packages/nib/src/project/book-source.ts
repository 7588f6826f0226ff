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
import { NibError } from '../nib-error.ts';

/** Limit of 1 MiB; a larger file was not written by a person. */
const MOST_BYTES = 1024 * 1024;

/** The spellings of a null value in YAML. */
const NULL_TEXTS: ReadonlySet<string> = new Set(['', '~', 'null', 'Null', 'NULL']);

const YES = /^(y|yes|on|true)$/i;
const NO = /^(n|no|off|false)$/i;

/** A parsed book.yaml. It returns values as they were written, with their lines. */
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
  /** The node of a key, for its line number. */
  at(map: Node | undefined, key: string): Node | undefined;
  /** The line of a node, from 1. */
  line(node: Node | undefined): number;
  problem(node: Node | undefined, sentence: string): NibError;
}

/**
 * Parses book.yaml: a document about the book and a document with its chapters; later documents are ignored. The
 * failsafe schema keeps values as text, so that a scene may be called 007 or true.
 */
export function parseBook(text: string, file: string): BookSource {
  if (Buffer.byteLength(text) > MOST_BYTES)
    throw new NibError(`${file} is larger than 1 MiB; it should only list chapters and scenes.`);
  const lines = new LineCounter();
  const documents = parseDocuments(text, lines, file);
  for (const { errors } of documents.slice(0, 2)) {
    const [first] = errors;
    if (first !== undefined) throw new NibError(`${file}:${getLine(lines, first.pos[0])}: ${first.message}`);
  }
  const [front, document] = documents;
  if (front === undefined || document === undefined) {
    throw new NibError(
      `${file} has ${documents.length === 0 ? 'no YAML document' : 'one YAML document'} and needs two: the title and author, a line with ---, then book: with its chapters.`,
    );
  }
  const line = (node: Node | undefined): number => getLine(lines, node?.range?.[0] ?? document.range[0]);
  return createBookSource(front, document, { file, line });
}

type Parsed = Document.Parsed;

function parseDocuments(text: string, lineCounter: LineCounter, file: string): readonly Parsed[] {
  try {
    return [...parseAllDocuments(text, { schema: 'failsafe', lineCounter, prettyErrors: false })];
  } catch {
    throw new NibError(`${file} nests its values too deep to be read.`);
  }
}

interface SourceLocation {
  readonly file: string;
  readonly line: BookSource['line'];
}

function createBookSource(front: Parsed, document: Parsed, { file, line }: SourceLocation): BookSource {
  const problem = (node: Node | undefined, sentence: string): NibError =>
    new NibError(`${file}:${line(node)}: ${sentence}`);
  const find = (map: Node | undefined, key: string): Node | undefined => {
    const owner = map === front.contents ? front : document;
    const pair = isMap(map) ? map.items.find((item) => getKey(item) === key) : undefined;
    return resolveAlias(pair?.value, owner);
  };
  const scalar = (node: Node, what: string): string => {
    const value = resolveAlias(node, document);
    if (!isScalar(value)) throw problem(node, `${what} should be plain text here, not a list or a map.`);
    return getText(value);
  };
  const asMap = (node: Node, what: string): YAMLMap => {
    const value = resolveAlias(node, document);
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
      return node === undefined || isNull(node) ? undefined : asMap(node, key);
    },
    list: (map, key) => {
      const node = find(map, key);
      if (node === undefined || isNull(node)) return [];
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

function resolveAlias(value: unknown, document: Document): Node | undefined {
  if (isAlias(value)) return value.resolve(document) as Node | undefined;
  return (value ?? undefined) as Node | undefined;
}

function getKey({ key }: Pair): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

function isNull(node: Node): boolean {
  return isScalar(node) && getText(node) === '';
}

function getText(scalar: Scalar): string {
  const value = String(scalar.value ?? '');
  return scalar.type === 'PLAIN' && NULL_TEXTS.has(value) ? '' : value;
}

function getLine(lines: LineCounter, offset: number): number {
  return Math.max(lines.linePos(offset).line, 1);
}
