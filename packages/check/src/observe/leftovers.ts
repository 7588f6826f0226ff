import { readdirSync, readFileSync } from 'node:fs';

/** The variable by which processes of an agent are known, however far they have gone from it. */
export const TAG = 'PLUGBOARD_CHECK_TAG';

/**
 * Runs the command after it and stays for a while, so that the group of the agent is not cleared away before
 * somebody has looked into it.
 */
export const LINGER = '"$@"; code=$?; exec >&- 2>&-; : > "$PLUGBOARD_CHECK_GONE"; sleep 0.6; exit $code';

/** Kills every living process that carries a tag, also one in a session of its own; none outside Linux. */
export function killTagged(tag: string): void {
  if (process.platform !== 'linux') return;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const pid of pids) if (commandIfTagged(pid, tag, 0).length > 0) killProcess(Number(pid));
}

/** Sends SIGKILL, unless the process has ended. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** Command lines of living processes that carry a tag, less one process and its own children; none outside Linux. */
export function taggedProcesses(tag: string, except: number): string[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => (Number(pid) === except ? [] : commandIfTagged(pid, tag, except)));
}

function commandIfTagged(pid: string, tag: string, except: number): string[] {
  try {
    if (!readFileSync(`/proc/${pid}/environ`).includes(tag)) return [];
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in brackets and may itself hold blanks and brackets.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || Number(parent) === except) return [];
    return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()];
  } catch {
    return []; // gone meanwhile, or not ours to read
  }
}
