import { StoreError } from '../../../contract/errors.ts';
import { type Connection, requireRow } from '../connection.ts';
import type { Writer } from '../writer.ts';
import { hasUnindexed, indexNext } from './documents.ts';

/** Updates the full-text index after commits, in the background. */
export interface SearchIndex {
  /** Call for each `user` or `message` event that a transaction appends. */
  noteSaid(): void;
  /** Indexes all committed events. Rejects with `busy` when that takes longer than `CATCH_UP_MS`. */
  catchUp(): Promise<void>;
  close(): void;
}

/** Events in one transaction of the index: some 3 ms, which block the event loop. */
const PAGE = 64;

/** A search waits this long for the index. To rebuild an index takes 50 µs for each message. */
const CATCH_UP_MS = 2_000;

/** Fewer than `PAGE` events are indexed after this delay. */
const LATER_MS = 1_000;

/**
 * To update the full-text index for each message would double the pages that a commit writes; an update for many messages
 * writes hardly more pages than for one. The index is therefore updated after `PAGE` events, after `LATER_MS` and before each
 * search. Its position is in the table `indexed`, so a crash loses no event.
 */
export function createSearchIndex(connection: Connection, { read, write }: Writer): SearchIndex {
  let said = 0;
  let timer: NodeJS.Timeout | undefined;

  const index = (): Promise<number> => {
    said = 0;
    clearTimeout(timer);
    timer = undefined;
    return write(() => indexNext(connection, PAGE));
  };
  const indexAll = async (isOver: () => boolean): Promise<void> => {
    while (await read(() => hasUnindexed(connection))) {
      if (isOver()) throw indexUnfinished(connection);
      await index();
    }
  };
  const catchUp = (): Promise<void> => {
    const end = performance.now() + CATCH_UP_MS;
    return indexAll(() => performance.now() > end);
  };
  // A failure, for example `full`, is ignored: the next event or search tries again.
  const attempt = (work: () => Promise<unknown>): void => void work().catch(() => {});

  const fire = (): void => {
    timer = undefined;
    attempt(() => indexAll(() => false));
  };
  const later = (): void => {
    timer ??= setTimeout(fire, LATER_MS).unref();
  };
  // Continues the work of the process before, or that of a migration that has reset `indexed`.
  later();
  return {
    noteSaid() {
      said += 1;
      if (said >= PAGE) attempt(index);
      else later();
    },
    catchUp,
    close: () => clearTimeout(timer),
  };
}

const PROGRESS = 'select indexed.seq as done, (select max(seq) from events) as all_of_them from indexed';

function indexUnfinished(connection: Connection): StoreError {
  const { done, all_of_them } = requireRow<{ done: number; all_of_them: number }>(connection, PROGRESS);
  return new StoreError(
    'busy',
    `The search index is being built: ${done} of ${all_of_them} events are in it. Try again in a minute.`,
  );
}
