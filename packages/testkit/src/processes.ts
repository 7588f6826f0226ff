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
