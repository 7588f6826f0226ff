import { randomUUID } from 'node:crypto';
import type { Connection } from './connection.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { Searcher } from './search/searcher.ts';
import type { Writer } from './writer.ts';

/** Shared by all parts of one store. */
export interface Context extends Pick<Writer, 'read' | 'write'> {
  readonly connection: Connection;
  readonly index: SearchIndex;
  readonly searcher: Searcher;
  /** `SqliteOptions.clock` in whole milliseconds. */
  now(): number;
}

/** A new id: 12 hexadecimal digits of time, then random digits. Consecutive ids are neighbours in an index. */
export function newId(now: number): string {
  // From index 14 on a UUID is random except for 6 bits. Node caches random bytes for `randomUUID`.
  return now.toString(16).padStart(12, '0') + randomUUID().slice(14).replaceAll('-', '');
}
