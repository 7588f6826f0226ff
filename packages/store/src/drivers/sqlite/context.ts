import type { Connection } from './connection.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { Searcher } from './search/searcher.ts';
import type { Writer } from './writer.ts';

/** What every part of the store works with. */
export interface Context extends Pick<Writer, 'read' | 'write'> {
  readonly connection: Connection;
  readonly index: SearchIndex;
  readonly searcher: Searcher;
  /** Whole milliseconds, by the clock of whoever opened the store. */
  now(): number;
}
