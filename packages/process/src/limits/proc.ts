import { readdirSync, readFileSync } from 'node:fs';

/** A look at all processes costs about 10 µs for each; a count is kept for so long. */
const COUNT_MS = 1_000;

let counted = { tasks: 0, until: Number.NEGATIVE_INFINITY };

/** How many processes and threads this user runs, which is what RLIMIT_NPROC is compared with. */
export function countOwnTasks(): number {
  const now = performance.now();
  if (now < counted.until) return counted.tasks;
  const uid = String(process.getuid?.());
  let tasks = 0;
  for (const pid of listProcesses()) {
    const status = readStatus(pid);
    if (/^Uid:\s+(\d+)/m.exec(status)?.[1] === uid) tasks += fieldOf(status, 'Threads');
  }
  counted = { tasks, until: now + COUNT_MS };
  return tasks;
}

/** The memory of process groups by their leaders, in bytes: what their processes hold alone, in RAM or swapped out. */
export function measureGroups(leaders: ReadonlySet<number>): ReadonlyMap<number, number> {
  const used = new Map<number, number>();
  for (const pid of listProcesses()) {
    const leader = leaders.has(pid) ? pid : groupOf(pid);
    if (!leaders.has(leader)) continue;
    const status = readStatus(pid);
    const kib = fieldOf(status, 'RssAnon') + fieldOf(status, 'RssShmem') + fieldOf(status, 'VmSwap');
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

function groupOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  // pid (name) state ppid pgrp: the name may hold anything, parentheses too.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ', 3)[2]);
}

function fieldOf(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

function readStatus(pid: number): string {
  return read(`/proc/${pid}/status`);
}

/** Empty for a process that has gone meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
