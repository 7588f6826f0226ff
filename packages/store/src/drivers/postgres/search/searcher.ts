import { StoreError } from '../../../contract/errors.ts';
import { type Connection, listRows } from '../connection.ts';
import type { Context } from '../context.ts';
import { ServerFailure, sqlStateOf } from '../failure.ts';
import { conditionsOf, type Listing, ORDER } from '../sessions/session-pages.ts';
import type { SessionRow } from '../sessions/session-rows.ts';

/** Finds sessions that contain each of `words`. */
interface SessionSearch extends Listing {
  readonly words: readonly string[];
}

export interface Searcher {
  /** Rejects with `busy` after `LIMIT_MS` or when `MOST_WAITING` searches wait, and with the reason of an aborted `signal`. */
  find(search: SessionSearch, signal?: AbortSignal): Promise<readonly SessionRow[]>;
}

const LIMIT_MS = 3_000;
const MOST_WAITING = 32;

/** Two searches at a time leave the other connections to other calls. */
const LANES = 2;

export function createSearcher({ read, enter, server }: Context): Searcher {
  let waiting = 0;
  let turn = 0;
  return {
    async find(search, signal) {
      signal?.throwIfAborted();
      if (waiting >= MOST_WAITING + LANES)
        throw new StoreError('busy', 'Too many searches wait. Try again in a moment.');
      waiting += 1;
      turn = (turn + 1) % LANES;
      const work = (): Promise<readonly SessionRow[]> => {
        signal?.throwIfAborted();
        return read((connection) => findSessions(connection, search, signal, cancel));
      };
      const cancel = (pid: number): void => void server.pool.query(CANCEL, [pid]).catch(() => {});
      try {
        return await untilAborted(enter(`search ${turn}`, work), signal);
      } finally {
        waiting -= 1;
      }
    },
  };
}

const CANCEL = 'select pg_cancel_backend($1)';

async function findSessions(
  connection: Connection,
  search: SessionSearch,
  signal: AbortSignal | undefined,
  cancel: (pid: number) => void,
): Promise<SessionRow[]> {
  const { client } = connection;
  const abort = (): void => cancel((client as unknown as { processID: number }).processID);
  signal?.addEventListener('abort', abort, { once: true });
  const { sql, parameters } = toQuery(search);
  try {
    await limitTime(connection);
    return await listRows<SessionRow>(connection, sql, parameters);
  } catch (error) {
    throw error instanceof ServerFailure && sqlStateOf(error) === TIMED_OUT ? tooSlow(error) : error;
  } finally {
    signal?.removeEventListener('abort', abort);
    await client.query('commit').catch(() => {});
  }
}

/** `query_canceled`, by `statement_timeout` or by `pg_cancel_backend`. */
const TIMED_OUT = '57014';

/** The limit ends with the transaction. */
async function limitTime({ client }: Connection): Promise<void> {
  try {
    await client.query(`begin read only; set local statement_timeout = ${LIMIT_MS}`);
  } catch (error) {
    throw new ServerFailure(error);
  }
}

function toQuery({ words, ...listing }: SessionSearch): { sql: string; parameters: Record<string, never> } {
  const names = words.map((_word, index) => `word${index}`);
  const contain = names.map(
    (name) => `exists (select 1 from said where said.session = sessions.seq and said.text like :${name})`,
  );
  const { where, parameters } = conditionsOf(listing, contain);
  const patterns = words.map((word, index) => [`word${index}`, `%${escapePattern(word)}%`]);
  const values = { ...parameters, ...Object.fromEntries(patterns) } as Record<string, never>;
  return { sql: `select * from sessions ${where} ${ORDER}`, parameters: values };
}

function escapePattern(word: string): string {
  return word.replaceAll(/[\\%_]/g, '\\$&');
}

function tooSlow(cause: unknown): StoreError {
  return new StoreError(
    'busy',
    `The search took longer than ${LIMIT_MS / 1_000} seconds and was ended. Look for longer or fewer words.`,
    cause,
  );
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
