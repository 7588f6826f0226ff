import { readdirSync, readFileSync } from 'node:fs';

/** Environment variable that all descendants of an agent inherit, also after `setsid`. */
export const TAG = 'PLUGBOARD_CHECK_TAG';

/**
 * Shell script that runs a command and stays 0.6 s longer: `spawn` kills the process group when its leader exits, which
 * would hide leftovers from `taggedProcesses`.
 */
export const LINGER = '"$@"; code=$?; exec >&- 2>&-; : > "$PLUGBOARD_CHECK_GONE"; sleep 0.6; exit $code';

/** Kills every process with `tag` in its environment, also after `setsid`. Needs `/proc`: no effect outside Linux. */
export function killTagged(tag: string): void {
  if (process.platform !== 'linux') return;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const pid of pids) if (commandIfTagged(pid, tag, 0).length > 0) killProcess(Number(pid));
}

export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // ESRCH: the process has ended meanwhile.
  }
}

/**
 * Command lines of processes with `tag` in their environment, without `except` and its children. Empty outside Linux.
 */
export function taggedProcesses(tag: string, except: number): string[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => (Number(pid) === except ? [] : commandIfTagged(pid, tag, except)));
}

function commandIfTagged(pid: string, tag: string, except: number): string[] {
  try {
    if (!readFileSync(`/proc/${pid}/environ`).includes(tag)) return [];
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name in `/proc/PID/stat` stands in brackets and may contain blanks and brackets.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || Number(parent) === except) return [];
    return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()];
  } catch {
    return []; // gone meanwhile, or not ours to read
  }
}
