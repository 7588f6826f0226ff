import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createSocketFolder, type SocketFolder } from './socket-folder.ts';
import { connectSocketPair, createSocketPairSupply, type SocketPair } from './socket-pair.ts';
import { createWatchers, type Watcher, type Watchers } from './watchers.ts';
import { encodeOrder, ORDERS, SECRET_BYTES } from './wire.ts';

/** Timeout for the `ready` report of a new helper. */
const READY_MS = 10_000;

/** A helper exits as soon as its stdin ends. After this time it is killed. */
const EXIT_MS = 5000;

/** A helper's command line; `startHelper` adds the path of the socket and the length of its queue. */
export interface HelperCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/** One process of a helper, from its start to its exit. */
export interface HelperProcess {
  readonly secret: Buffer;
  /** Creates the two connections of one start. */
  connect(): SocketPair;
  /** True when the connections of another start might not fit into the socket's queue. */
  readonly full: boolean;
  watch(id: number, watcher: Watcher): void;
  /** Cancels a start that has not happened yet. */
  abandon(id: number): void;
  /** Lets the helper forget the process. */
  release(id: number): void;
  /** Kills a helper that no longer answers. */
  kill(): void;
  /** Settles when the helper has exited. */
  readonly gone: Promise<void>;
  close(): Promise<void>;
}

export async function startHelper(program: HelperCommand): Promise<HelperProcess> {
  const folder = await createSocketFolder();
  try {
    return await startProgram(program, folder);
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

async function startProgram({ file, args }: HelperCommand, folder: SocketFolder): Promise<HelperProcess> {
  const secret = randomBytes(SECRET_BYTES);
  const helper = spawn(file, [...args, folder.path, String(folder.queue)], {
    // `cwd` is `/` so that the helper blocks no unmount. `detached` keeps Ctrl-C away from it: the host handles that
    // signal.
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  helper.stdin?.on('error', () => {});
  helper.stdin?.write(secret);
  const watchers = createWatchers(helper);
  await waitUntilReady(helper, watchers.ready);
  helper.unref();
  return createHelperProcess(helper, folder, secret, watchers);
}

function createHelperProcess(
  helper: ChildProcess,
  folder: SocketFolder,
  secret: Buffer,
  watchers: Watchers,
): HelperProcess {
  const most = Math.floor(folder.queue / 2) - 2;
  const { gone } = watchers;
  let lastId = 0;
  const connect = (): SocketPair => {
    lastId = (lastId + 1) >>> 0;
    return connectSocketPair(folder.path, secret, lastId);
  };
  const abandon = (id: number): void => void helper.stdin?.write(encodeOrder(ORDERS.abandon, id));
  const supply = createSocketPairSupply(connect, abandon);
  // A killed helper does not remove its socket.
  const removed = gone.then(supply.clear).then(folder.remove);
  return {
    secret,
    connect: supply.take,
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
      supply.clear();
      helper.stdin?.end();
      const stuck = setTimeout(() => helper.kill('SIGKILL'), EXIT_MS);
      await removed;
      clearTimeout(stuck);
    },
  };
}

function waitUntilReady(helper: ChildProcess, told: Promise<void>): Promise<void> {
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
