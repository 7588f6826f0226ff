import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FOLDER_PREFIX, removeStaleFolders } from './stale-folders.ts';

/** The longest socket path that every system accepts: macOS allows 104 bytes including the final NUL. */
const LONGEST_PATH = 103;

/** Used where `/proc/sys/net/core/somaxconn` cannot be read. */
const SHORTEST_QUEUE = 128;
const LONGEST_QUEUE = 4096;

/** A folder with mode 700 that holds the socket between a host and its helper. */
export interface SocketFolder {
  readonly path: string;
  /** The backlog of the socket: how many connections may wait for `accept`. */
  readonly queue: number;
  remove(): Promise<void>;
}

export async function createSocketFolder(): Promise<SocketFolder> {
  const name = `${FOLDER_PREFIX}${process.pid}-`;
  const directory = fitsSocketPath(join(tmpdir(), name)) ? tmpdir() : '/tmp';
  // `mkdtemp` creates the folder with mode 700.
  const folder = await mkdtemp(join(directory, name));
  void removeStaleFolders(directory);
  return {
    path: join(folder, 'socket'),
    queue: await readLongestQueue(),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function fitsSocketPath(prefix: string): boolean {
  return Buffer.byteLength(`${prefix}XXXXXX/socket`) <= LONGEST_PATH;
}

async function readLongestQueue(): Promise<number> {
  const told = await readFile('/proc/sys/net/core/somaxconn', 'utf8').catch(() => '');
  return Math.min(Number.parseInt(told, 10) || SHORTEST_QUEUE, LONGEST_QUEUE);
}
