import { type Document, isMap, isNode, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { bad, type Checked, good } from './checked.ts';
import { faultWords, isBinary } from './faults.ts';

/** Size limit of a file, 1 MiB. People do not write larger files. */
export const SOURCE_BYTES: number = 1024 * 1024;

/** Limit of alias references: enough for people, and too few to expand a small file into a large value. */
const ALIASES = 100;

/** Limit of nesting, for `isTree` and other recursive readers. */
const DEPTH = 64;

/** Upper limit for reported syntax errors: one broken bracket can cause hundreds, of which the first are useful. */
const FAULTS = 20;

const TOO_DEEP = 'This file nests its values too deep, or puts one into itself.';

/** A parsed YAML or JSON file that can tell where each of its values stands. */
export interface SourceDocument {
  /** The file name as the user gave it. */
  readonly file: string;
  readonly value: unknown;
  /** `file:line:column` of the value at a path, or of the nearest one around it. */
  place(path: readonly PropertyKey[]): string;
  /** The keys of the map at a path in the written order. A JavaScript object does not keep it for numeric keys. */
  keys(path: readonly PropertyKey[]): readonly string[];
}

/** Parses a file's text; every syntax error, key that stands twice and tag that is not YAML's own is a problem. */
export function parseSource(file: string, text: string): Checked<SourceDocument> {
  if (Buffer.byteLength(text) > SOURCE_BYTES) return bad(`${file}: This file is larger than 1 MiB.`);
  if (isBinary(text)) return bad(`${file}: This is not a text file.`);
  const lines = new LineCounter();
  const document = parsed(text, lines);
  if (document === undefined) return bad(`${file}: ${TOO_DEEP}`);
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const tags = document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED');
  const faults = [...document.errors, ...tags].slice(0, FAULTS);
  if (faults.length > 0)
    return bad(...faults.map((fault) => `${at(fault.pos[0])}: ${faultWords(fault, text)}`));
  const value = plainValue(document);
  if (value === undefined) return bad(`${file}: This file repeats its values by aliases too often.`);
  if (!isTree(value.plain, DEPTH)) return bad(`${file}: ${TOO_DEEP}`);
  return good({
    file,
    value: value.plain,
    place: (path) => at(find(document, path).offset),
    keys: (path) => keysOf(find(document, path)),
  });
}

/** `parseDocument` recurses for every level and throws when the stack is full. */
function parsed(text: string, lineCounter: LineCounter): Document | undefined {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, resolveKnownTags: false });
  } catch {
    return undefined;
  }
}

/** Whether a value ends within `levels`. A value that contains itself through an alias does not. */
function isTree(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isTree(item, levels - 1));
}

function plainValue(document: Document): { readonly plain: unknown } | undefined {
  try {
    return { plain: document.toJS({ maxAliasCount: ALIASES }) };
  } catch {
    return undefined;
  }
}

/** A node on the way to a path, and where its key stands. */
interface Found {
  readonly node: unknown;
  readonly offset: number;
  /** Whether this is the value at the path, and not merely the nearest one around it. */
  readonly exact: boolean;
}

function find(document: Document, path: readonly PropertyKey[]): Found {
  let found: Found = { node: document.contents, offset: 0, exact: true };
  for (const key of path) {
    const next = step(found.node, key);
    if (next === undefined) return { ...found, exact: false };
    found = { ...next, exact: true };
  }
  return found;
}

/** The value below a key, and where the key itself stands. */
function step(node: unknown, key: PropertyKey): { node: unknown; offset: number } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(
      (item) => isPair(item) && isNode(item.key) && keyText(item.key) === String(key),
    );
    return pair === undefined ? undefined : { node: pair.value, offset: start(pair.key) };
  }
  const child =
    isNode(node) && 'get' in node
      ? (node.get as (key: unknown, keep: boolean) => unknown)(key, true)
      : undefined;
  return child === undefined ? undefined : { node: child, offset: start(child) };
}

function keysOf({ node, exact }: Found): readonly string[] {
  return exact && isMap(node) ? node.items.map(({ key }) => keyText(key)) : [];
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function start(node: unknown): number {
  return (isNode(node) ? (node as Node).range?.[0] : undefined) ?? 0;
}
