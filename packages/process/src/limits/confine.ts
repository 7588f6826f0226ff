import type { Child } from '../child.ts';
import type { Command } from '../command.ts';
import { type Ending, endingOfFailure, exitCodeOf } from '../ending.ts';
import { diagnoseExec, memoryExceeded } from '../failure.ts';
import { createGroup, findGroupParent, type Group } from './cgroup.ts';
import { watchMemory } from './memory-watch.ts';
import { countOwnTasks } from './proc.ts';
import type { ResourceLimits } from './resources.ts';

/**
 * Added to `memoryBytes` for RLIMIT_DATA, which counts reserved memory: V8 reserves 512 MiB for code, so that Node does not start with the
 * bare limit. `watchMemory` enforces the limit itself; RLIMIT_DATA stops allocations between two of its samples.
 */
const RESERVED_BYTES = 1024 ** 3;

/** What programs write when an allocation fails. V8's own heap limit is another one. */
const OUT_OF_MEMORY = /out of memory|allocation failed|MemoryError|bad_alloc|cannot allocate memory|ENOMEM/i;
const V8_HEAP_LIMIT = /heap limit/i;

/** Undefined until it was looked for, null when there is none. */
let foundParent: string | null | undefined;

function groupParent(): string | null {
  foundParent ??= (process.platform === 'linux' ? findGroupParent() : undefined) ?? null;
  return foundParent;
}

/** What of these limits cannot be enforced on this machine: a sentence for each. */
export function listUnenforcedLimits({ memoryBytes, processes }: ResourceLimits): readonly string[] {
  if ((memoryBytes ?? processes) === undefined || groupParent() !== null) return [];
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
 * Starts a command that has `resources` within them; elsewhere than on Linux as it is. A shell puts itself into a cgroup of its own, or takes on limits (RLIMIT),
 * and then becomes the program, so that nothing of the program runs before.
 */
export function spawnConfined(
  command: Command,
  start: (command: Command) => Child,
  parent: string | null = groupParent(),
): Child {
  const { resources = {}, ...wraps } = command;
  if (process.platform !== 'linux') return start(wraps);
  const group = openGroup(parent, resources);
  const limit = group === undefined ? limitScript(resources) : JOIN_GROUP;
  const script = [...limit, ...forgetOwnVariables(wraps), 'exec "$@"'].join('; ');
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
    const killed = group === undefined ? watch?.exceeded() === true || ranOut(ending) : hasOomKill(group);
    if (ending.cause !== 'exit') group?.kill();
    group?.remove();
    return concludeEnding(wraps, resources, ending, killed);
  });
  return { ...child, ended };
}

function openGroup(parent: string | null, resources: ResourceLimits): Group | undefined {
  if (parent === null) return undefined;
  try {
    return createGroup(parent, resources);
  } catch {
    // Not ours after all: RLIMIT from now on, and `listUnenforcedLimits` says what that leaves out.
    if (parent === foundParent) foundParent = null;
    return undefined;
  }
}

const JOIN_GROUP = ['echo 0 > "$1" || exit 126', 'shift'];

/** What shells set by themselves, and programs would inherit. */
function forgetOwnVariables({ env }: Command): string[] {
  const own = ['PWD', 'OLDPWD', 'SHLVL', '_'].filter((name) => env[name] === undefined);
  return [`unset ${own.join(' ')} 2>/dev/null`];
}

/** bash knows the limit of processes as -u, dash as -p. A limit that is lower already stays. */
function limitScript({ memoryBytes, processes }: ResourceLimits): string[] {
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

function ranOut({ stderr }: Ending): boolean {
  return OUT_OF_MEMORY.test(stderr) && !V8_HEAP_LIMIT.test(stderr);
}

/** The ending of the program rather than of the shell that started it; `killed`: for the memory it took. */
async function concludeEnding(
  command: Command,
  { memoryBytes }: ResourceLimits,
  ending: Ending,
  killed: boolean,
): Promise<Ending> {
  const { cause, code, durationMs } = ending;
  if (code === 126 || code === 127) {
    const failure = await diagnoseExec(command, code);
    if (failure !== undefined) return endingOfFailure(failure, durationMs);
  }
  const failed = cause === 'limit' || cause === 'signal' || (cause === 'exit' && code !== 0);
  if (memoryBytes === undefined || !killed || !failed) return ending;
  const failure = memoryExceeded(command, memoryBytes);
  return { ...ending, cause: 'limit', exitCode: exitCodeOf('limit', ending), failure };
}
