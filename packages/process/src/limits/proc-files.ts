import { readdirSync, readFileSync } from 'node:fs';

/** How long `countOwnTasks` caches its result: reading /proc takes about 10 µs per process, 1 ms for 100. */
const COUNT_MS = 1_000;

let counted = { tasks: 0, until: Number.NEGATIVE_INFINITY };

/** Processes and threads of this user, the count that the kernel compares with RLIMIT_NPROC. */
export function countOwnTasks(): number {
  const now = performance.now();
  if (now < counted.until) return counted.tasks;
  const uid = String(process.getuid?.());
  let tasks = 0;
  for (const pid of listProcesses()) {
    const status = readStatus(pid);
    if (/^Uid:\s+(\d+)/m.exec(status)?.[1] === uid) tasks += parseField(status, 'Threads');
  }
  counted = { tasks, until: now + COUNT_MS };
  return tasks;
}

/** Memory of process groups in bytes, by their leaders: private and shared memory, in RAM or swapped out. */
export function measureGroups(leaders: ReadonlySet<number>): ReadonlyMap<number, number> {
  const used = new Map<number, number>();
  for (const pid of listProcesses()) {
    const leader = leaders.has(pid) ? pid : readGroupId(pid);
    if (!leaders.has(leader)) continue;
    const status = readStatus(pid);
    const kib = parseField(status, 'RssAnon') + parseField(status, 'RssShmem') + parseField(status, 'VmSwap');
    used.set(leader, (used.get(leader) ?? 0) + kib * 1024);
  }
  return used;
}

function listProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function readGroupId(pid: number): number {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // Format: pid (name) state ppid pgrp. The name may hold parentheses, hence `lastIndexOf`.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ', 3)[2]);
}

function parseField(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

function readStatus(pid: number): string {
  return readIfThere(`/proc/${pid}/status`);
}

/** Returns '' when the process has exited. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
