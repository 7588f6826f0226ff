import type { StoredEvent } from '../contract/records.ts';
import { foldSearched, searchedText, TITLE } from '../drivers/postgres/search/said.ts';
import type { SearchedText } from './database.ts';
import type { Row } from './move-table.ts';

/** The row of `said` for a row of `sessions` or `events`, as the Postgres driver stores it. */
export function searchedIn(table: string, row: Row): SearchedText | undefined {
  if (table === 'sessions' && row.title !== '')
    return { session: Number(row.seq), number: TITLE, text: foldSearched(String(row.title)) };
  if (table !== 'events') return undefined;
  const text = searchedText(JSON.parse(String(row.body)) as StoredEvent['event']);
  return text === undefined ? undefined : { session: Number(row.session), number: Number(row.number), text };
}
