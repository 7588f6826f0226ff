import { createHash, randomUUID } from 'node:crypto';
import { StoreError } from '../../contract/errors.ts';
import { storableText } from '../../storable.ts';
import type { Connection, Transaction } from './connection.ts';
import { createLanes } from './lanes.ts';
import { readFrom, type Server, writeTo } from './transaction.ts';

/** Shared by all parts of one store. */
export interface Context {
  readonly server: Server;
  /** Each statement of `work` sees committed data. */
  read<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** One transaction. Writes with the same `lane`, mostly the id of a session, keep the order of their calls. */
  write<T>(lane: string, work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** As `write`, for `work` that commits by itself. */
  enter<T>(lane: string, work: () => Promise<T>): Promise<T>;
  /** Admissions under way. `claim` waits for them: the gateway calls it in the tick in which it has called `admit`. */
  readonly arrivals: Set<Promise<unknown>>;
  /** Resolves after the running calls. Later calls reject with `closed`. */
  end(): Promise<void>;
}

export function createContext(server: Server): Context {
  const lanes = createLanes();
  const running = new Set<Promise<unknown>>();
  let ended = false;
  const track = async <T>(work: () => Promise<T>): Promise<T> => {
    if (ended) throw new StoreError('closed', `The store in ${server.place} is closed.`);
    const call = work();
    running.add(call);
    try {
      return await call;
    } finally {
      running.delete(call);
    }
  };
  return {
    server,
    arrivals: new Set(),
    read: (work) => track(() => readFrom(server, work)),
    write: (lane, work) => track(() => lanes.run(lane, () => writeTo(server, work))),
    enter: (lane, work) => track(() => lanes.run(lane, work)),
    async end() {
      ended = true;
      await Promise.allSettled(running);
    },
  };
}

/** A new id: 12 hexadecimal digits of time, then random digits. Consecutive ids are neighbours in an index. */
export function newId(now: number): string {
  // From index 14 on a UUID is random except for 6 bits. Node caches random bytes for `randomUUID`.
  return Math.trunc(now).toString(16).padStart(12, '0') + randomUUID().slice(14).replaceAll('-', '');
}

/** An index entry has at most 2,704 bytes. */
const LONGEST_KEY = 200;

/** The key of `text` in a unique index: `text` itself, or its SHA-256 when it is long. */
export function keyOf(text: string): string {
  const kept = storableText(text);
  if (kept.length <= LONGEST_KEY && !kept.startsWith('sha256:')) return kept;
  return `sha256:${createHash('sha256').update(kept).digest('hex')}`;
}
