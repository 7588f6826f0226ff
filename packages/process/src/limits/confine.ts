import type { Child } from '../child.ts';
import type { Command } from '../command.ts';
import { createFailureEnding, type Ending, toExitCode } from '../ending.ts';
import { createMemoryFailure, diagnoseExec } from '../spawn-failure.ts';
import { createGroup, findGroupParent, type Group } from './cgroup.ts';
import { watchMemory } from './memory-watch.ts';
import { countOwnTasks } from './proc-files.ts';
import type { ResourceLimits } from './resources.ts';

/**
 * Added to `memoryBytes` for RLIMIT_DATA, which counts reserved memory: V8 reserves 512 MiB for code, so Node does not
 * start with the bare limit. `watchMemory` enforces the limit itself; RLIMIT_DATA stops allocations between two of its
 * samples.
 */
const RESERVED_BYTES = 1024 ** 3;

/** Messages of programs when an allocation fails. `V8_HEAP_LIMIT` excludes V8's own limit. */
const OUT_OF_MEMORY = /out of memory|allocation failed|MemoryError|bad_alloc|cannot allocate memory|ENOMEM/i;
const V8_HEAP_LIMIT = /heap limit/i;

/** Undefined before the first lookup, null when the lookup found none. */
let foundParent: string | null | undefined;

function getGroupParent(): string | null {
  foundParent ??= (process.platform === 'linux' ? findGroupParent() : undefined) ?? null;
  return foundParent;
}

/** One sentence for each limit that this machine cannot enforce. */
export function listUnenforcedLimits({ memoryBytes, processes }: ResourceLimits): readonly string[] {
  if ((memoryBytes ?? processes) === undefined || getGroupParent() !== null) return [];
  const isLinux = process.platform === 'linux';
  const sentences: string[] = [];
  if (memoryBytes !== undefined && !isLinux)
    sentences.push('The limit of memory is not enforced: this system is not Linux.');
  if (processes !== undefined && !isLinux)
    sentences.push('The limit of processes is not enforced: this system is not Linux.');
  if (processes !== undefined && isLinux && process.getuid?.() === 0)
    sentences.push(
      'The limit of processes is not enforced: root has none without a cgroup; run as another user, or delegate a cgroup.',
    );
  return sentences;
}

/**
 * Starts `command` within its `resources`; on other systems than Linux without limits. A shell enters a cgroup, or sets
 * RLIMITs, and then calls `exec`, so the program never runs without its limits.
 */
export function spawnConfined(
  command: Command,
  start: (command: Command) => Child,
  parent: string | null = getGroupParent(),
): Child {
  const { resources = {}, ...wraps } = command;
  if (process.platform !== 'linux') return start(wraps);
  const group = createGroupIfAllowed(parent, resources);
  const limit = group === undefined ? buildLimitScript(resources) : JOIN_GROUP;
  const script = [...limit, ...buildUnsetScript(wraps), 'exec "$@"'].join('; ');
  const words = group === undefined ? [] : [group.procs];
  const child = start({
    ...wraps,
    file: '/bin/sh',
    args: ['-c', script, 'sh', ...words, wraps.file, ...wraps.args],
    wraps,
  });
  const watch = group === undefined ? watchChild(child, resources) : undefined;
  const ended = child.ended.then(async (ending) => {
    watch?.stop();
    const killed =
      group === undefined ? watch?.exceeded() === true || hasAllocationFailure(ending) : hasOomKill(group);
    if (ending.cause !== 'exit') group?.kill();
    group?.remove();
    return concludeEnding(wraps, resources, ending, killed);
  });
  return { ...child, ended };
}

function createGroupIfAllowed(parent: string | null, resources: ResourceLimits): Group | undefined {
  if (parent === null) return undefined;
  try {
    return createGroup(parent, resources);
  } catch {
    // No permission to create groups: use RLIMIT from now on. `listUnenforcedLimits` then reports the difference.
    if (parent === foundParent) foundParent = null;
    return undefined;
  }
}

const JOIN_GROUP = ['echo 0 > "$1" || exit 126', 'shift'];

/** Variables that shells set themselves and programs would inherit. */
function buildUnsetScript({ env }: Command): string[] {
  const own = ['PWD', 'OLDPWD', 'SHLVL', '_'].filter((name) => env[name] === undefined);
  return [`unset ${own.join(' ')} 2>/dev/null`];
}

/** bash sets RLIMIT_NPROC with -u, dash with -p. A lower limit stays in force. */
function buildLimitScript({ memoryBytes, processes }: ResourceLimits): string[] {
  const steps: string[] = [];
  if (memoryBytes !== undefined)
    steps.push(`ulimit -d ${Math.ceil((memoryBytes + RESERVED_BYTES) / 1024)} 2>/dev/null`);
  if (processes !== undefined) {
    const most = countOwnTasks() + processes;
    steps.push(`ulimit -u ${most} 2>/dev/null || ulimit -p ${most} 2>/dev/null`);
  }
  return steps;
}

interface ChildWatch {
  exceeded(): boolean;
  stop(): void;
}

function watchChild(child: Child, { memoryBytes }: ResourceLimits): ChildWatch | undefined {
  if (memoryBytes === undefined) return undefined;
  let exceeded = false;
  const stop = watchMemory({
    pid: child.pid,
    mostBytes: memoryBytes,
    onExceeded() {
      exceeded = true;
      child.stop('limit', { graceMs: 0 });
    },
  });
  return { exceeded: () => exceeded, stop };
}

function hasOomKill(group: Group): boolean {
  return group.countOomKills() > 0;
}

function hasAllocationFailure({ stderr }: Ending): boolean {
  return OUT_OF_MEMORY.test(stderr) && !V8_HEAP_LIMIT.test(stderr);
}

/** Converts the ending of the shell into that of the program. `killed`: the memory limit ended it. */
async function concludeEnding(
  command: Command,
  { memoryBytes }: ResourceLimits,
  ending: Ending,
  killed: boolean,
): Promise<Ending> {
  const { cause, code, durationMs } = ending;
  if (code === 126 || code === 127) {
    const failure = await diagnoseExec(command, code);
    if (failure !== undefined) return createFailureEnding(failure, durationMs);
  }
  const failed = cause === 'limit' || cause === 'signal' || (cause === 'exit' && code !== 0);
  if (memoryBytes === undefined || !killed || !failed) return ending;
  const failure = createMemoryFailure(command, memoryBytes);
  return { ...ending, cause: 'limit', exitCode: toExitCode('limit', ending), failure };
}
