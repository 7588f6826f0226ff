import { type Document, isMap, isNode, isPair, LineCounter, type Node, parseDocument } from 'yaml';
import { ProfileError } from './error.ts';

/** Larger files than this are no profiles. */
const MAX_BYTES = 1024 * 1024;

/** A parsed YAML or JSON file that can tell where each of its values stands. */
export interface SourceDocument {
  readonly file: string;
  readonly value: unknown;
  /** `file:line:column` of the value at a path, or of the nearest one around it. */
  place(path: readonly PropertyKey[]): string;
}

/** Parses a file's text; throws a ProfileError that names the place of every syntax error. */
export function parseSource(file: string, text: string): SourceDocument {
  if (text.length > MAX_BYTES) throw new ProfileError([`${file}: larger than 1 MiB; this is no profile.`]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw new ProfileError(document.errors.map((error) => `${at(error.pos[0])}: ${error.message}`));
  }
  return {
    file,
    value: document.toJS({ maxAliasCount: 100 }),
    place: (path) => at(offsetOf(document, path)),
  };
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let offset = 0;
  let node: unknown = document.contents;
  for (const key of path) {
    const next = step(node, key);
    if (next === undefined) break;
    offset = next.offset;
    node = next.node;
  }
  return offset;
}

/** The value below a key, and where the key itself stands. */
function step(node: unknown, key: PropertyKey): { node: unknown; offset: number } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(
      (item) => isPair(item) && isNode(item.key) && String(item.key) === String(key),
    );
    return pair === undefined ? undefined : { node: pair.value, offset: start(pair.key) };
  }
  const child =
    isNode(node) && 'get' in node
      ? (node.get as (key: unknown, keep: boolean) => unknown)(key, true)
      : undefined;
  return child === undefined ? undefined : { node: child, offset: start(child) };
}

function start(node: unknown): number {
  return (isNode(node) ? (node as Node).range?.[0] : undefined) ?? 0;
}
