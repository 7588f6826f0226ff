import { isMap, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { NibError } from '../nib-error.ts';
import { parseBook } from './book-source.ts';

/** A change to the chapters of book.yaml. It works on YAML nodes, so that comments move with their lines. */
export type BookEdit = (chapters: YAMLSeq<Node>, make: MakeNode) => void;

/** Creates a node that is read back as exactly this value. */
export type MakeNode = (value: unknown) => Node;

/**
 * Returns the text of book.yaml after an edit. Only the document with the chapters is serialized again, with its
 * comments, unknown keys, indentation and line ends; text before and after it stays byte for byte.
 */
export function editBook(text: string, file: string, edit: BookEdit): string {
  const { document } = parseBook(text, file);
  const [start = 0, , end = text.length] = document.range ?? [];
  const make: MakeNode = (value) => quoteNull(document.createNode(value) as Node);
  edit(getChapters(document.contents, make, file), make);
  const body = document.toString({
    lineWidth: 0,
    indent: detectIndent(text.slice(start)),
    indentSeq: !/^( *)[\w"']+:[^\n]*\n\1- /m.test(text.slice(start).replaceAll('\r\n', '\n')),
    flowCollectionPadding: /\[ /.test(text.slice(start)),
  });
  const lines = text.includes('\r\n') ? body.replaceAll('\n', '\r\n') : body;
  return text.slice(0, start) + lines + text.slice(end);
}

/** The list below `key`, created when it is missing or empty. */
export function getOrCreateList(map: YAMLMap, key: string, make: MakeNode): YAMLSeq<Node> {
  const there = map.get(key, true);
  if (isSeq(there)) return there as YAMLSeq<Node>;
  const made = make([]) as YAMLSeq<Node>;
  map.set(make(key), made);
  return made;
}

/** The map at `index`; throws for an alias, because nib would change its anchor too. */
export function getMap(list: YAMLSeq<Node>, index: number): YAMLMap {
  const entry = list.items[index];
  if (isMap(entry)) return entry;
  throw new NibError(
    `Chapter ${index + 1} is written as an alias, which nib cannot change. Edit book.yaml by hand.`,
  );
}

function getChapters(contents: unknown, make: MakeNode, file: string): YAMLSeq<Node> {
  if (!isMap(contents))
    throw new NibError(`${file} has no book: in its second document. Add it with a line "book:".`);
  const book = contents.get('book', true);
  if (isMap(book)) return getOrCreateList(book, 'chapters', make);
  const made = make({ base_dir: 'scenes', chapters: [] }) as YAMLMap;
  contents.set(make('book'), made);
  return getOrCreateList(made, 'chapters', make);
}

/** Quotes a string that YAML would read as null. */
function quoteNull(node: Node): Node {
  const scalar = node as Scalar;
  if (typeof scalar.value === 'string' && /^(~|null|)$/i.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
  return node;
}

function detectIndent(text: string): number {
  const indent = /^book:[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*( +)\S/m.exec(text)?.[1]?.length ?? 2;
  return Math.min(Math.max(indent, 1), 8);
}
