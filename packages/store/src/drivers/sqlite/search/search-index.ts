import { StoreError } from '../../../contract/errors.ts';
import { type Connection, theRow } from '../connection.ts';
import type { Writer } from '../writer.ts';
import { hasNext } from './has-next.ts';
import { indexNext } from './index-next.ts';

/** Makes what was said findable, after it was said. */
export interface SearchIndex {
  /** Something was, or is about to be, said. */
  noteSaid(): void;
  /** Settles when everything that is committed can be found; rejects with `busy` when that would take longer than a moment. */
  catchUp(): Promise<void>;
  close(): void;
}

/** Events indexed at once: some 3 ms, in which nothing else happens. */
const PAGE = 64;

/** The longest that a search waits for the index: a store whose index is built anew has 50 us of work for each message. */
const CATCH_UP_MS = 2_000;

/** What few have said is indexed after so long. */
const LATER_MS = 1_000;

/**
 * An index of its own that is written with every message costs a commit as many pages of the disk as all the rest; for many
 * messages together it costs hardly more than for one. So it is brought up to the log now and then, and whenever somebody
 * looks for something. Where it has come to is on the disk with it: a crash costs nothing but the work.
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
    while (await read(() => hasNext(connection))) {
      if (isOver()) throw unfinished(connection);
      await index();
    }
  };
  const catchUp = (): Promise<void> => {
    const end = performance.now() + CATCH_UP_MS;
    return indexAll(() => performance.now() > end);
  };
  // What fails now, for want of room perhaps, is tried again when something is said, or looked for.
  const attempt = (work: () => Promise<unknown>): void => void work().catch(() => {});

  const fire = (): void => {
    timer = undefined;
    attempt(() => indexAll(() => false));
  };
  const later = (): void => {
    timer ??= setTimeout(fire, LATER_MS).unref();
  };
  // What the process before had not come to, or a new version wants to have indexed anew, waits for nobody to look for it.
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

function unfinished(connection: Connection): StoreError {
  const { done, all_of_them } = theRow<{ done: number; all_of_them: number }>(connection, PROGRESS);
  return new StoreError(
    'busy',
    `The search index is being built: ${done} of ${all_of_them} events are in it. Try again in a minute.`,
  );
}
