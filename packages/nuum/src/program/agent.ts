import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { boundYoungGeneration, collectOldGenerationEarly } from '@plugboard/process';
import { createNuum, type Nuum } from '../agent/nuum.ts';
import { MemoryError } from '../database/error.ts';
import { memoryProblem } from '../database/problem.ts';
import type { Memory } from '../memory/memory.ts';
import { openMemory } from '../memory/open.ts';
import { createUlid } from '../memory/ulid.ts';
import { createAsk } from '../model/ask.ts';
import { chooseModel } from '../model/choose.ts';
import { createPolicy } from '../policy/policy.ts';
import type { Settings } from './settings.ts';

export interface OpenNuum {
  readonly nuum: Nuum;
  readonly memory: Memory;
  /** The name that hosts receive. */
  readonly model: string;
}

export interface OpenOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly log: (text: string) => void;
  /** False for a process of one turn. */
  readonly stays: boolean;
  readonly patienceMs: number;
}

export async function openNuum(
  settings: Settings,
  { environment, log, stays, patienceMs }: OpenOptions,
): Promise<OpenNuum> {
  if (stays) {
    boundYoungGeneration();
    collectOldGenerationEarly();
  }
  const now = (): number => Date.now();
  const chosen = chooseModel(settings.model);
  const policy = createPolicy({ ...settings.policy, memory: settings.db });
  makeDirectory(settings.db);
  const memory = await retryWhileLocked(() => openMemory(settings.db, { now }), patienceMs, log);
  const nuum = createNuum({
    memory,
    ask: createAsk(chosen, { now }),
    policy,
    limits: settings.limits,
    directory: settings.directory,
    home: settings.home,
    environment,
    stays,
    allowHosts: settings.allowHosts,
    servers: settings.servers,
    now,
    newId: () => `bgtask_${createUlid(now(), randomBytes)}`,
    log,
  });
  return { nuum, memory, model: chosen.name };
}

function makeDirectory(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw memoryProblem(file, error);
  }
}

const LOOK_AGAIN_MS = 50;

/** Repeats `attempt` while another process has the lock: turns of one-shot processes wait for each other. */
async function retryWhileLocked<T>(
  attempt: () => T,
  patienceMs: number,
  log: (text: string) => void,
): Promise<T> {
  for (let left = patienceMs; ; left -= LOOK_AGAIN_MS) {
    try {
      return attempt();
    } catch (error) {
      if (left <= 0 || !(error instanceof MemoryError) || error.code !== 'in-use') throw error;
      if (left === patienceMs)
        log(`${error.message} Waiting for up to ${patienceMs / 1000} s until it is free.`);
      await sleep(LOOK_AGAIN_MS);
    }
  }
}
