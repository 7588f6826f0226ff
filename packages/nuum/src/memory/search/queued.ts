import type { Connection } from '../../database/connection.ts';
import { queuedMessages } from '../messages/queued.ts';
import type { QueuedHit } from './hit.ts';
import { snippetOf } from './snippet.ts';
import { plainOf, type Term, termsOf } from './words.ts';

/** Messages that wait have no index, and are few: each is read. Those with most of the words first, then the latest. */
export function findQueued(connection: Connection, query: string, most: number): QueuedHit[] {
  const terms = termsOf(query);
  return queuedMessages(connection)
    .map(({ at, text }) => ({ at, text, found: foundIn(text, terms) }))
    .filter(({ found }) => found > 0)
    .reverse()
    .sort((a, b) => b.found - a.found)
    .slice(0, most)
    .map(({ at, text }) => ({ at, snippet: snippetOf(text, terms) }));
}

function foundIn(text: string, terms: readonly Term[]): number {
  const plain = plainOf(text);
  return terms.filter(({ literal }) => plain.includes(plainOf(literal))).length;
}
