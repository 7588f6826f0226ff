import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from './group.ts';

/*
 * A process that called setsid, or whose parent did, is out of reach of a signal to the group. Every child therefore
 * carries a random mark in its environment, which its descendants inherit and Linux shows in /proc.
 *
 * Found: anything of our own user that still carries the mark, however often it forked or changed session.
 * Not found: a program that cleared its environment, runs as another user, or is in the middle of an exec while
 * we look; and, away from Linux, anything at all. Only a pid namespace around the child could promise those.
 */

export const MARKER = 'PLUGBOARD_PROCESS';

const BATCH = 32;
const PASSES = 5;
const PASS_PAUSE_MS = 5;
const SCAN_LIMIT_MS = 2000;

// Random once per host and counted from there: a draw for each child would be a measurable part of a short turn.
const HOST = randomBytes(16).toString('hex');
let children = 0;

/** What the marks of all children of this process begin with; whoever keeps it can find them after this process has died. */
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

/** Appends to a mark that is already there: the hosts above must find this child too. */
export function markWithin(env: Environment, mark: string): string {
  const above = env[MARKER];
  return above === undefined ? mark : `${above},${mark}`;
}

/** Kills what carries the mark; looks again after each find, since a process may have forked while we looked. */
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
  const pids = await processIds();
  let found = false;
  for (let start = 0; start < pids.length && performance.now() < deadline; start += BATCH) {
    const looks = pids.slice(start, start + BATCH).map((pid) => killIfMarked(pid, mark));
    found = (await Promise.all(looks)).includes(true) || found;
  }
  return found;
}

async function processIds(): Promise<number[]> {
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
