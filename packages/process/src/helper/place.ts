import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLACE_PREFIX, removeStalePlaces } from './stale-places.ts';

/** The longest path of a socket that every system takes: macOS allows 104 bytes, the final NUL among them. */
const LONGEST_PATH = 103;

/** Used where the system does not tell how many connections may wait. */
const SHORTEST_QUEUE = 128;
const LONGEST_QUEUE = 4096;

/** Where a host and its helper meet: a socket in a folder that nobody else can enter. */
export interface Place {
  readonly path: string;
  /** How many connections may wait there to be accepted. */
  readonly queue: number;
  remove(): Promise<void>;
}

export async function createPlace(): Promise<Place> {
  const name = `${PLACE_PREFIX}${process.pid}-`;
  const directory = fits(join(tmpdir(), name)) ? tmpdir() : '/tmp';
  // mkdtemp gives the folder to us alone.
  const folder = await mkdtemp(join(directory, name));
  void removeStalePlaces(directory);
  return {
    path: join(folder, 'socket'),
    queue: await longestQueue(),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function fits(prefix: string): boolean {
  return Buffer.byteLength(`${prefix}XXXXXX/socket`) <= LONGEST_PATH;
}

async function longestQueue(): Promise<number> {
  const told = await readFile('/proc/sys/net/core/somaxconn', 'utf8').catch(() => '');
  return Math.min(Number.parseInt(told, 10) || SHORTEST_QUEUE, LONGEST_QUEUE);
}
