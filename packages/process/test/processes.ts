import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../src/child.ts';
import type { Command, Limits } from '../src/command.ts';
import { directSpawner, type Spawner } from '../src/helper/spawner.ts';

export const PATH: string = process.env.PATH ?? '/usr/bin:/bin';
export const onLinux: boolean = process.platform === 'linux';

/** A variable by which the test finds its processes without the code under test. */
export function createTag(): { env: Record<string, string>; living: () => number[] } {
  const tag = randomBytes(12).toString('hex');
  return { env: { PATH, TEST_TAG: tag }, living: () => carrying(tag) };
}

function carrying(tag: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`).includes(tag);
    } catch {
      return false;
    }
  });
}

export async function until(condition: () => boolean, what: string, withinMs = 20_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(10);
  }
}

let spawner: Spawner = directSpawner();

let limited = false;

/** Sets the spawner of all following starts; `hasLimits` adds limits, so a shell starts each command. */
export function useSpawner(given: Spawner, hasLimits = false): void {
  spawner = given;
  limited = hasLimits;
}

export function isLimited(): boolean {
  return limited;
}

export function kind(): Spawner['kind'] {
  return spawner.kind;
}

export function start(command: Command, limits: Limits = {}): Child {
  return spawner.spawn(command, limits);
}

export function shell(script: string, limits: Limits = {}, more: Partial<Command> = {}): Child {
  return start({ file: 'sh', args: ['-c', script], env: { PATH }, ...more }, limits);
}

export interface Output {
  text(): string;
  bytes(): number;
}

/** Reads all output at once. */
export function collectOutput(child: Child): Output {
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return {
    text: () => Buffer.concat(chunks).toString(),
    bytes: () => chunks.reduce((sum, chunk) => sum + chunk.length, 0),
  };
}
