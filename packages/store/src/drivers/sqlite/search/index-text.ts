import { type Connection, run } from '../connection.ts';
import { INDEXED_CHARACTERS } from './document.ts';
import { fold } from './fold.ts';
import { shortGramsOf } from './short-grams.ts';

const ADD = 'insert into said (rowid, text) values (:document, :text)';
const ADD_SHORT = 'insert into said_short (rowid, grams) values (:document, :grams)';
const REMOVE = 'delete from said where rowid = :document';
const REMOVE_SHORT = 'delete from said_short where rowid = :document';

/** Makes a text findable as `document`. */
export function indexText(connection: Connection, document: number, text: string): void {
  if (text === '') return;
  const folded = foldIndexed(text);
  run(connection, ADD, { document, text: folded });
  run(connection, ADD_SHORT, { document, grams: shortGramsOf(folded) });
}

/** The part of a text that is indexed, folded. Folding can lengthen a text, so it is cut again. */
export function foldIndexed(text: string): string {
  return fold(text.slice(0, INDEXED_CHARACTERS)).slice(0, INDEXED_CHARACTERS);
}

/** Removes a document from the index. */
export function forgetText(connection: Connection, document: number): void {
  run(connection, REMOVE, { document });
  run(connection, REMOVE_SHORT, { document });
}
