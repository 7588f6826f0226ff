import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from './send-signal.ts';

/*
 * A process that called `setsid`, or whose parent did, is not reached by a signal to the group. Every child therefore
 * carries a random mark in its environment, which descendants inherit and Linux shows in /proc.
 *
 * Found: all processes of our own user that carry the mark, after any number of forks or new sessions.
 * Not found: a program that cleared its environment, runs as another user, or is inside `exec` during the scan; and, on
 * systems other than Linux, every process. Only a pid namespace around the child could find those.
 */

export const MARKER = 'PLUGBOARD_PROCESS';

const BATCH = 32;
const PASSES = 5;
const PASS_PAUSE_MS = 5;
const SCAN_LIMIT_MS = 2000;

// Random once per host, then counted: `randomBytes` for each child would be a measurable part of a short turn.
const HOST = randomBytes(16).toString('hex');
let children = 0;

/**
 * The common prefix of the marks of all children of this process; with it a caller can find them after this process has
 * died.
 */
export function hostMark(): string {
  return HOST;
}

export function createMark(): string {
  children += 1;
  return HOST + children.toString(16).padStart(12, '0');
}

type Environment = Readonly<Record<string, string>>;

export function withMark(env: Environment, mark: string): Record<string, string> {
  return { ...env, [MARKER]: markWithin(env, mark) };
}

/** Appends to an existing mark, because the hosts above must find this child too. */
export function markWithin(env: Environment, mark: string): string {
  const above = env[MARKER];
  return above === undefined ? mark : `${above},${mark}`;
}

/** Kills all processes with the mark. Scans again after each match, since a process may fork during the scan. */
export async function killStragglers(mark: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const deadline = performance.now() + SCAN_LIMIT_MS;
  for (let pass = 0; pass < PASSES; pass += 1) {
    if (pass > 0) await sleep(PASS_PAUSE_MS);
    const found = await killMarked(mark, deadline);
    if (!found) return;
  }
}

async function killMarked(mark: string, deadline: number): Promise<boolean> {
  const pids = await listProcessIds();
  let found = false;
  for (let start = 0; start < pids.length && performance.now() < deadline; start += BATCH) {
    const scans = pids.slice(start, start + BATCH).map((pid) => killIfMarked(pid, mark));
    found = (await Promise.all(scans)).includes(true) || found;
  }
  return found;
}

async function listProcessIds(): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  return names.map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid);
}

async function killIfMarked(pid: number, mark: string): Promise<boolean> {
  try {
    const { uid } = await stat(`/proc/${pid}`);
    if (uid !== process.getuid?.()) return false;
    const environment = await readFile(`/proc/${pid}/environ`);
    if (!environment.includes(mark)) return false;
  } catch {
    return false; // gone meanwhile, or not ours to read
  }
  sendSignal(pid, 'SIGKILL');
  return true;
}
