import type { Child } from '../child.ts';
import type { Command, Limits } from '../command.ts';
import { spawnConfined } from '../limits/confine.ts';
import { createCrashes } from '../prewarm/crashes.ts';
import { follow } from '../running.ts';
import { spawn } from '../spawn.ts';
import { createMark } from '../terminate/stragglers.ts';
import { type Link, openLink, type Program } from './link.ts';
import { startThrough } from './remote.ts';
import { directoryFor } from './request.ts';

export interface Keeper {
  start(command: Command, limits: Limits): Child;
  close(): Promise<void>;
}

/**
 * Keeps a helper alive. While there is none, or none that can take more, processes are started directly; a helper
 * that keeps dying is not started for ever.
 */
export async function keepHelper(program: Program, onTrouble: (sentence: string) => void): Promise<Keeper> {
  const crashes = createCrashes();
  let link: Link | undefined;
  let pause: NodeJS.Timeout | undefined;
  let opening: Promise<void> | undefined;
  let closed = false;

  async function begin(): Promise<void> {
    const opened = await openLink(program);
    link = opened;
    const since = performance.now();
    void opened.gone.then(() => mourn(performance.now() - since));
  }
  function mourn(ageMs: number): void {
    link = undefined;
    if (closed) return;
    crashes.record(ageMs);
    if (crashes.tooMany) return onTrouble('The spawn helper keeps dying; processes are started without it.');
    onTrouble('The spawn helper has died; it is started again.');
    pause = setTimeout(again, crashes.pauseMs).unref();
  }
  function again(): void {
    opening = begin().catch(() => mourn(0));
  }

  await begin();
  return {
    start: function start(command, limits): Child {
      if (command.resources !== undefined) return spawnConfined(command, (plain) => start(plain, limits));
      const cwd = directoryFor(command);
      if (link === undefined || link.full || cwd === undefined) return spawn(command, limits);
      const at = performance.now();
      const mark = createMark();
      return follow(startThrough(link, command, cwd, mark), mark, at, limits);
    },
    async close() {
      closed = true;
      clearTimeout(pause);
      await opening;
      await link?.close();
    },
  };
}
