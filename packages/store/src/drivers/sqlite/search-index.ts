import type { Connection } from './connection.ts';
import { hasNext } from './statements/said/has-next.ts';
import { indexNext } from './statements/said/index-next.ts';
import type { Writer } from './writer.ts';

/** Makes what was said findable, after it was said. */
export interface SearchIndex {
  /** Something was, or is about to be, said. */
  noteSaid(): void;
  /** Settles when everything that is committed can be found. */
  catchUp(): Promise<void>;
  close(): void;
}

/** Events indexed at once: some 3 ms, in which nothing else happens. */
const PAGE = 64;

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
  const catchUp = async (): Promise<void> => {
    while (await read(() => hasNext(connection))) await index();
  };
  // What fails now, for want of room perhaps, is tried again when something is said, or looked for.
  const attempt = (work: () => Promise<unknown>): void => void work().catch(() => {});

  const fire = (): void => {
    timer = undefined;
    attempt(catchUp);
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
