import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const SAMPLE_MS = 20;
/** 160 ms: during its start a program sleeps for a few milliseconds, for the disk or for threads. */
const IDLE_SAMPLES = 8;
const MOST_MS = 5_000;

/**
 * Waits until all threads of the group sleep and use no CPU time for `IDLE_SAMPLES`, at most `MOST_MS`. A time alone
 * does not tell that a process waits for input: on a busy machine it may not have run at all. Needs `/proc`: no effect
 * outside Linux.
 */
export async function waitUntilIdle(group: number): Promise<void> {
  const until = performance.now() + MOST_MS;
  let last: number | undefined;
  let idle = 0;
  while (idle < IDLE_SAMPLES && performance.now() < until) {
    const ticks = ticksOfSleeping(group);
    idle = ticks !== undefined && ticks === last ? idle + 1 : 0;
    last = ticks;
    await sleep(SAMPLE_MS);
  }
}

/** The CPU time of a process group in clock ticks; undefined when one of its threads does not sleep. */
function ticksOfSleeping(group: number): number | undefined {
  if (process.platform !== 'linux') return 0;
  let sum = 0;
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(`/proc/${name}`) : undefined;
    if (stat?.group !== group) continue;
    if (!areThreadsAsleep(name)) return undefined;
    sum += stat.ticks;
  }
  return sum;
}

/** Looks at every thread: the main thread of an interpreter that starts sleeps while another one waits for a processor. */
function areThreadsAsleep(pid: string): boolean {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks).every((thread) => 'SZ'.includes(statOf(`${tasks}/${thread}`)?.state ?? 'S'));
  } catch {
    return true; // The process has ended meanwhile.
  }
}

function statOf(directory: string): { state: string; group: number; ticks: number } | undefined {
  try {
    const stat = readFileSync(`${directory}/stat`, 'utf8');
    // The program name in `stat` stands in brackets and may contain blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', , group] = fields;
    return { state, group: Number(group), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined; // The process or thread has ended meanwhile.
  }
}
