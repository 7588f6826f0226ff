import { isMap, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { NibError } from '../failure.ts';
import { parseBook } from './book-source.ts';

/** A change to the chapters of book.yaml, given as nodes so that comments go where their lines go. */
export type BookEdit = (chapters: YAMLSeq<Node>, make: MakeNode) => void;

/** Makes a node that will be read back as exactly this value. */
export type MakeNode = (value: unknown) => Node;

/**
 * The text of book.yaml after an edit. Only the document with the chapters is written anew, with its comments, unknown keys,
 * indentation and line ends; what stands before and after it stays byte for byte.
 */
export function editBook(text: string, file: string, edit: BookEdit): string {
  const { document } = parseBook(text, file);
  const [start = 0, , end = text.length] = document.range ?? [];
  const make: MakeNode = (value) => quoted(document.createNode(value) as Node);
  edit(chaptersOf(document.contents, make, file), make);
  const body = document.toString({
    lineWidth: 0,
    indent: indentOf(text.slice(start)),
    indentSeq: !/^( *)[\w"']+:[^\n]*\n\1- /m.test(text.slice(start).replaceAll('\r\n', '\n')),
    flowCollectionPadding: /\[ /.test(text.slice(start)),
  });
  const lines = text.includes('\r\n') ? body.replaceAll('\n', '\r\n') : body;
  return text.slice(0, start) + lines + text.slice(end);
}

/** The list below a key, made when it is missing or empty. */
export function listIn(map: YAMLMap, key: string, make: MakeNode): YAMLSeq<Node> {
  const there = map.get(key, true);
  if (isSeq(there)) return there as YAMLSeq<Node>;
  const made = make([]) as YAMLSeq<Node>;
  map.set(make(key), made);
  return made;
}

/** The map at a place of a list; nib changes no list whose entries are aliases. */
export function mapAt(list: YAMLSeq<Node>, index: number): YAMLMap {
  const entry = list.items[index];
  if (isMap(entry)) return entry;
  throw new NibError(
    `Chapter ${index + 1} is written as an alias, which nib cannot change. Edit book.yaml by hand.`,
  );
}

function chaptersOf(contents: unknown, make: MakeNode, file: string): YAMLSeq<Node> {
  if (!isMap(contents))
    throw new NibError(`${file} has no book: in its second document. Add it with a line "book:".`);
  const book = contents.get('book', true);
  if (isMap(book)) return listIn(book, 'chapters', make);
  const made = make({ base_dir: 'scenes', chapters: [] }) as YAMLMap;
  contents.set(make('book'), made);
  return listIn(made, 'chapters', make);
}

/** What would be read as nothing has to stand in quotes. */
function quoted(node: Node): Node {
  const scalar = node as Scalar;
  if (typeof scalar.value === 'string' && /^(~|null|)$/i.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
  return node;
}

function indentOf(text: string): number {
  const indent = /^book:[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*( +)\S/m.exec(text)?.[1]?.length ?? 2;
  return Math.min(Math.max(indent, 1), 8);
}
