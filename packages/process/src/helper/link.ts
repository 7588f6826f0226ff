import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { connectPair, createStock, type Pair } from './pair.ts';
import { createPlace, type Place } from './place.ts';
import { createWatchers, type Watcher, type Watchers } from './watchers.ts';
import { encodeOrder, ORDERS, SECRET_BYTES } from './wire.ts';

/** A helper that has not said it is ready by then is none. */
const READY_MS = 10_000;

/** A helper leaves at once when its host does; one that does not is stuck. */
const LEAVE_MS = 5000;

/** A helper as a program: to its arguments are added the path of the socket and the length of its queue. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/** One life of a helper. */
export interface Link {
  readonly secret: Buffer;
  /** Connections for one start. */
  connect(): Pair;
  /** No more starts now: their connections might not fit into the queue. */
  readonly full: boolean;
  watch(id: number, watcher: Watcher): void;
  /** If it has not been started yet, it will not be. */
  abandon(id: number): void;
  /** Nothing more will be asked about it. */
  release(id: number): void;
  /** It does not answer any more. */
  kill(): void;
  /** Settles when the helper is gone. */
  readonly gone: Promise<void>;
  close(): Promise<void>;
}

export async function openLink(program: Program): Promise<Link> {
  const place = await createPlace();
  try {
    return await start(program, place);
  } catch (error) {
    await place.remove();
    throw error;
  }
}

async function start({ file, args }: Program, place: Place): Promise<Link> {
  const secret = randomBytes(SECRET_BYTES);
  const helper = spawn(file, [...args, place.path, String(place.queue)], {
    // No folder is held by it, and no terminal reaches it: Ctrl-C is for the host to deal with.
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  helper.stdin?.on('error', () => {});
  helper.stdin?.write(secret);
  const watchers = createWatchers(helper);
  await ready(helper, watchers.ready);
  helper.unref();
  return linkOf(helper, place, secret, watchers);
}

function linkOf(helper: ChildProcess, place: Place, secret: Buffer, watchers: Watchers): Link {
  const most = Math.floor(place.queue / 2) - 2;
  const { gone } = watchers;
  let lastId = 0;
  const connect = (): Pair => {
    lastId = (lastId + 1) >>> 0;
    return connectPair(place.path, secret, lastId);
  };
  const abandon = (id: number): void => void helper.stdin?.write(encodeOrder(ORDERS.abandon, id));
  const stock = createStock(connect, abandon);
  // One that was killed leaves its socket behind.
  const removed = gone.then(stock.clear).then(place.remove);
  return {
    secret,
    connect: stock.take,
    get full() {
      return watchers.starting >= most;
    },
    watch: watchers.add,
    abandon,
    release: watchers.release,
    kill: () => void helper.kill('SIGKILL'),
    gone,
    async close() {
      helper.ref();
      stock.clear();
      helper.stdin?.end();
      const stuck = setTimeout(() => helper.kill('SIGKILL'), LEAVE_MS);
      await removed;
      clearTimeout(stuck);
    },
  };
}

function ready(helper: ChildProcess, told: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(late);
      helper.kill('SIGKILL');
      reject(new Error(`The spawn helper ${helper.spawnfile} ${why}; start it by hand to see why.`));
    };
    const late = setTimeout(() => fail('does not answer'), READY_MS);
    helper.on('error', (error) => fail(`could not be started (${error.message})`));
    helper.once('close', (code, signal) => fail(`has ended (${signal ?? code})`));
    void told.then(() => {
      clearTimeout(late);
      resolve();
    });
  });
}
