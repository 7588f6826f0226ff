import type { Event } from '@plugboard/protocol';
import type { UserSaid } from '../../../contract/records.ts';
import { foldText } from '../../../folded-text.ts';
import { storableText } from '../../../storable.ts';
import { runStatement, type Transaction } from '../connection.ts';

/** Characters of a text that a search compares. */
const SEARCHED_CHARACTERS = 65_536;

/** The number of a title in `said`; events are numbered from 1. */
export const TITLE = 0;

/** The distinct words of a search text, folded; empty for white space. */
export function searchWordsOf(search: string): string[] {
  const words = new Set(foldText(storableText(search)).split(/\s+/u));
  words.delete('');
  return [...words];
}

/** The folded text of a `user` or `message` event; undefined for other events, which are not searched. */
export function searchedText(
  event: Event | UserSaid | { readonly type: 'notice' | 'dropped' },
): string | undefined {
  return event.type === 'user' || event.type === 'message' ? foldSearched(event.text) : undefined;
}

/** Cuts twice, since `foldText` can lengthen a text. */
export function foldSearched(text: string): string {
  return storableText(
    foldText(storableText(text.slice(0, SEARCHED_CHARACTERS))).slice(0, SEARCHED_CHARACTERS),
  );
}

const ADD_TITLE = `insert into said (session, number, text) values (:session, ${TITLE}, :text)`;
const REMOVE_TITLE = `delete from said where session = :session and number = ${TITLE}`;

export async function storeTitle(transaction: Transaction, session: number, title: string): Promise<void> {
  if (title !== '') await runStatement(transaction, ADD_TITLE, { session, text: foldSearched(title) });
}

export async function removeTitle(transaction: Transaction, session: number): Promise<void> {
  await runStatement(transaction, REMOVE_TITLE, { session });
}
