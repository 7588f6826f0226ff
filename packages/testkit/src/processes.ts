import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Ids of the processes with `mark` in their command line or environment. Needs /proc, so Linux only. */
export function processesWith(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && hasMark(pid, mark));
}

function hasMark(pid: number, mark: string): boolean {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
    if (state === 'Z') return false;
    return ['cmdline', 'environ'].some((file) => readFileSync(`/proc/${pid}/${file}`).includes(mark));
  } catch {
    return false;
  }
}

/** Kills the processes with a mark, and those that they have started before they died. */
export function killProcessesWith(mark: string): void {
  for (let found = processesWith(mark); found.length > 0; found = processesWith(mark)) {
    for (const pid of found) killProcess(pid);
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** Polls a condition every 20 ms; throws after `ms`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  ms = 10_000,
): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Waited ${ms} ms in vain: ${what}`);
    await sleep(20);
  }
}
