import { readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

/** The folder of a host: its process id stands in the name. */
export const PLACE_PREFIX = 'plugboard-spawn-';

/** A younger folder may belong to a host that has not begun to listen. */
const YOUNG_MS = 10_000;

/**
 * Removes the folders that hosts left behind when they were killed: of our own user, with a process id that is no more, and with a socket on which nobody
 * listens. The last look is for folders of hosts in other containers, which count their processes by themselves.
 */
export async function removeStalePlaces(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  const folders = names.filter((name) => name.startsWith(PLACE_PREFIX)).map((name) => join(directory, name));
  await Promise.all(
    folders.map(async (folder) => {
      if (await isStale(folder)) await rm(folder, { recursive: true, force: true }).catch(() => {});
    }),
  );
}

async function isStale(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined || found.uid !== process.getuid?.()) return false;
  const age = performance.timeOrigin + performance.now() - found.mtimeMs;
  return age > YOUNG_MS && !isRunning(pidOf(folder)) && !(await isListening(join(folder, 'socket')));
}

function pidOf(folder: string): number | undefined {
  const [, pid] = /plugboard-spawn-(\d+)-\w+$/.exec(folder) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

/** Folders without a process id are of an older version. */
function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
