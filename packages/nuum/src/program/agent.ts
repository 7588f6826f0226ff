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
import { ulid } from '../memory/ulid.ts';
import { chooseModel } from '../model/choose.ts';
import { createAsk } from '../model/create.ts';
import { createPolicy } from '../policy/policy.ts';
import type { Settings } from './settings.ts';

/** An agent that is ready to answer, and what it says about itself. */
export interface OpenNuum {
  readonly nuum: Nuum;
  readonly memory: Memory;
  /** As hosts are shown it. */
  readonly model: string;
}

export interface OpenOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly log: (text: string) => void;
  /** Whether the process outlives a turn. */
  readonly stays: boolean;
  /** How long to wait for another process that has the memory. */
  readonly patienceMs: number;
}

/** Opens the memory that the settings name, and the agent on it. */
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
  const policy = createPolicy(settings.policy);
  makeDirectory(settings.db);
  const memory = await patiently(() => openMemory(settings.db, { now }), patienceMs);
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
    newId: () => `bgtask_${ulid(now(), randomBytes)}`,
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

/** A one-shot agent has its turn when the one before it is done. */
async function patiently<T>(attempt: () => T, patienceMs: number): Promise<T> {
  for (let left = patienceMs; ; left -= LOOK_AGAIN_MS) {
    try {
      return attempt();
    } catch (error) {
      if (left <= 0 || !(error instanceof MemoryError) || error.code !== 'in-use') throw error;
      await sleep(LOOK_AGAIN_MS);
    }
  }
}
