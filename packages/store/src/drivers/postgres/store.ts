import { StoreError } from '../../contract/errors.ts';
import type { Store } from '../../contract/store.ts';
import { requireRow, runStatement } from './connection.ts';
import { type Context, createContext } from './context.ts';
import { createAskRecords } from './events/asks.ts';
import { createEventLog } from './events/event-log.ts';
import { createMedia } from './media.ts';
import { createInbox } from './messages/inbox.ts';
import { createOutbox } from './messages/outbox.ts';
import type { OpenedNodes } from './nodes/nodes.ts';
import { createPeople } from './people.ts';
import { createBackgroundWork } from './sessions/background-work.ts';
import { createCommands } from './sessions/commands.ts';
import { createSessions } from './sessions/sessions.ts';
import { createSmallFiles } from './small-files.ts';
import { createTokens } from './tokens.ts';
import { type Server, writeTo } from './transaction.ts';
import { createTurns } from './turns/turns.ts';

/** Arguments of `createStore` beside `Server`. */
interface Opening {
  readonly createdAt: number;
  /** The controller of `Server.ended`. */
  readonly over: AbortController;
  /** Undefined for a process that is no gateway. */
  readonly createNodes: ((context: Context) => OpenedNodes) | undefined;
}

/** Needs a migrated database. */
export function createStore(server: Server, { createdAt, over, createNodes }: Opening): Store {
  const context = createContext(server);
  const nodes = createNodes?.(context);
  let closing: Promise<void> | undefined;
  return {
    sessions: createSessions(context),
    inbox: createInbox(context),
    commands: createCommands(context),
    turns: createTurns(context),
    errands: createBackgroundWork(context),
    asks: createAskRecords(context),
    log: createEventLog(context),
    outbox: createOutbox(context),
    media: createMedia(context),
    smallFiles: createSmallFiles(context),
    tokens: createTokens(context),
    people: createPeople(context),
    ...(nodes === undefined ? {} : { nodes }),
    createdAt,
    check: () => writeCheck(context),
    verify: () => verifyQueues(context),
    backup: refuseBackup,
    close() {
      closing ??= (async () => {
        // With the calls of others under way: leaving the other nodes is a call, too.
        await nodes?.leave();
        over.abort();
        await context.end();
        await server.pool.end();
      })();
      return closing;
    },
  };
}

// 64 KiB: a nearly full disk may still take a few bytes.
const WRITE_CHECK = `
  insert into checks (only_one, at, filler) values (1, :now, repeat('x', 65536))
  on conflict (only_one) do update set at = excluded.at, filler = excluded.filler`;

/** A probe of readiness must not wait as long as other calls do for a server that is away. */
const CHECK_MS = 1_000;

async function writeCheck({ enter, server }: Context): Promise<void> {
  const patienceMs = Math.min(CHECK_MS, server.patienceMs);
  await enter('check', () =>
    writeTo({ ...server, patienceMs }, (transaction) => runStatement(transaction, WRITE_CHECK)),
  );
}

// Reads the partial indexes of open work alone. Pages and checksums are the concern of the server.
const COUNT_WRONG_QUEUES = `
  select count(*) as wrong
  from (select seq, waiting from sessions where waiting > 0) as queue
  full join (select session, count(*) as found from messages where state = 'waiting' group by session) as messages
    on messages.session = queue.seq
  where coalesce(waiting, 0) <> coalesce(found, 0)`;

async function verifyQueues({ read, server }: Context): Promise<void> {
  const { wrong } = await read((connection) => requireRow<{ wrong: number }>(connection, COUNT_WRONG_QUEUES));
  if (wrong === 0) return;
  const words = `The database ${server.place} is damaged: ${wrong} sessions have another number of waiting messages than they say.`;
  throw new StoreError('corrupt', words);
}

async function refuseBackup(file: string): Promise<never> {
  const command = `pg_dump --format=custom --file=${file} URL`;
  throw new StoreError('unavailable', `A store in Postgres is copied by the program of Postgres: ${command}`);
}
