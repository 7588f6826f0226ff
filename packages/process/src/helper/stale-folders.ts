import { readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

/** Prefix of a host's folder; the host's process id follows it. */
export const FOLDER_PREFIX = 'plugboard-spawn-';

/** A younger folder may belong to a host that has not called `listen` yet. */
const LISTEN_MS = 10_000;

/**
 * Removes folders of killed hosts: owned by our user, with the id of no running process, and with a socket that refuses
 * connections. The connection check protects hosts in other containers, whose process ids mean nothing here.
 */
export async function removeStaleFolders(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  const folders = names.filter((name) => name.startsWith(FOLDER_PREFIX)).map((name) => join(directory, name));
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
  return age > LISTEN_MS && !isRunning(parsePid(folder)) && !(await isListening(join(folder, 'socket')));
}

function parsePid(folder: string): number | undefined {
  const [, pid] = /plugboard-spawn-(\d+)-\w+$/.exec(folder) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

/** Folders of older versions have no process id in their name. */
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
