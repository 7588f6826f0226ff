import { resolve } from 'node:path';
import type { Child } from '../child.ts';
import type { Command, Limits } from '../command.ts';
import { spawnConfined } from '../limits/confine.ts';
import { createCrashBackoff } from '../prewarm/crash-backoff.ts';
import { spawn } from '../spawn.ts';
import { superviseProcess } from '../supervise.ts';
import { createMark } from '../terminate/stragglers.ts';
import { type HelperCommand, type HelperProcess, startHelper } from './helper-process.ts';
import { spawnThroughHelper } from './helper-spawn.ts';

export interface RestartingHelper {
  start(command: Command, limits: Limits): Child;
  close(): Promise<void>;
}

/**
 * Restarts the helper when it dies. While no helper is running, or its queue is full, processes are started directly.
 * `createCrashBackoff` ends the restarts after 3 early deaths.
 */
export async function createRestartingHelper(
  program: HelperCommand,
  onTrouble: (sentence: string) => void,
): Promise<RestartingHelper> {
  const backoff = createCrashBackoff();
  let helper: HelperProcess | undefined;
  let pause: NodeJS.Timeout | undefined;
  let opening: Promise<void> | undefined;
  let closed = false;

  async function startOnce(): Promise<void> {
    const opened = await startHelper(program);
    helper = opened;
    const since = performance.now();
    void opened.gone.then(() => handleExit(performance.now() - since));
  }
  function handleExit(ageMs: number): void {
    helper = undefined;
    if (closed) return;
    backoff.record(ageMs);
    if (backoff.tooMany) return onTrouble('The spawn helper keeps dying; processes are started without it.');
    onTrouble('The spawn helper has died; it is started again.');
    pause = setTimeout(restart, backoff.pauseMs).unref();
  }
  function restart(): void {
    opening = startOnce().catch(() => handleExit(0));
  }

  await startOnce();
  return {
    start: function start(command, limits): Child {
      if (command.resources !== undefined) return spawnConfined(command, (plain) => start(plain, limits));
      const cwd = resolveHelperDirectory(command);
      if (helper === undefined || helper.full || cwd === undefined) return spawn(command, limits);
      const at = performance.now();
      const mark = createMark();
      return superviseProcess(spawnThroughHelper(helper, command, cwd, mark), mark, at, limits);
    },
    async close() {
      closed = true;
      clearTimeout(pause);
      await opening;
      await helper?.close();
    },
  };
}

/**
 * The absolute working directory for the helper, whose own is `/`. Undefined when `command` must be started directly:
 * it inherits the terminal, or it is invalid, which `spawn` reports with the reason.
 */
export function resolveHelperDirectory(command: Command): string | undefined {
  if (command.stdio === 'inherit' || command.file === '' || hasZeroByte(command)) return undefined;
  try {
    return resolve(command.cwd ?? '');
  } catch {
    return undefined; // our own directory has been removed
  }
}

function hasZeroByte({ file, args, cwd = '', env }: Command): boolean {
  if (file.includes('\0') || cwd.includes('\0')) return true;
  for (const argument of args) if (argument.includes('\0')) return true;
  for (const name in env) if (name.includes('\0') || env[name]?.includes('\0')) return true;
  return false;
}
