import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { sendSignal } from './send-signal.ts';

/*
 * A process that has called `setsid` is not in the group, and one that has cleared its environment carries no mark (see
 * `stragglers.ts`). Both are still children of children until their parent ends, so the tree must be read before the
 * first signal. Agents start their tools so.
 */

/** Limit of processes of one tree: a fork bomb must not keep the event loop busy. */
const MOST = 10_000;

/** The processes below one process, as far as they were seen. */
export interface Descendants {
  /** Reads the tree now and adds it to what was seen before. */
  collect(): void;
  /** Kills all that were seen, and what they have started since. */
  kill(): void;
}

/** A process: its id may be used again, its start time with it not. */
interface Seen {
  readonly pid: number;
  readonly startedAt: string;
}

interface ProcessTable {
  childrenOf(pid: number): number[];
  /** Undefined for a process that is gone, or a zombie. */
  startOf(pid: number): string | undefined;
}

/** `pid` gives the root, as soon as it is known. */
export function createDescendants(pid: () => number | undefined): Descendants {
  const seen = new Map<number, Seen>();
  const addBelow = (root: number, table: ProcessTable): void => {
    for (const child of table.childrenOf(root)) {
      const startedAt = table.startOf(child);
      if (startedAt === undefined || seen.get(child)?.startedAt === startedAt || seen.size >= MOST) continue;
      seen.set(child, { pid: child, startedAt });
      addBelow(child, table);
    }
  };
  const collect = (): void => {
    const root = pid();
    if (root === undefined || process.platform === 'win32') return;
    const table = readTable();
    addBelow(root, table);
    for (const one of [...seen.values()])
      if (table.startOf(one.pid) === one.startedAt) addBelow(one.pid, table);
  };
  return {
    collect,
    kill() {
      if (seen.size === 0) return;
      collect();
      const table = readTable();
      for (const { pid: one, startedAt } of seen.values())
        if (table.startOf(one) === startedAt) sendSignal(one, 'SIGKILL');
    },
  };
}

function readTable(): ProcessTable {
  return process.platform === 'linux' ? PROC : readWithPs();
}

/** Reads the files of the processes that are asked about, and not those of the whole machine. */
const PROC: ProcessTable = {
  childrenOf(pid) {
    try {
      const threads = readdirSync(`/proc/${pid}/task`);
      return threads.flatMap((thread) =>
        readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
      );
    } catch {
      return []; // gone meanwhile, or a kernel without CONFIG_PROC_CHILDREN
    }
  },
  startOf(pid) {
    try {
      // The name in parentheses may hold spaces: field 3 is the state, and field 22 the start time.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return fields[0] === 'Z' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  },
};

/** One `ps` for the whole table; empty where there is none. */
function readWithPs(): ProcessTable {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,lstart='], {
    encoding: 'utf8',
    timeout: 2_000,
  });
  return readPsTable(stdout ?? '');
}

/** Lines of a pid, the pid of the parent, and the start time. */
export function readPsTable(text: string): ProcessTable {
  const children = new Map<number, number[]>();
  const starts = new Map<number, string>();
  for (const line of text.split('\n')) {
    const [, pid, parent, startedAt = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || parent === undefined) continue;
    children.set(Number(parent), [...(children.get(Number(parent)) ?? []), Number(pid)]);
    starts.set(Number(pid), startedAt.trim());
  }
  return {
    childrenOf: (pid) => children.get(pid) ?? [],
    startOf: (pid) => starts.get(pid),
  };
}
