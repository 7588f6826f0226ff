import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { judge } from './checker.ts';
import { type Platform, startPlatform, type Update } from './platform.ts';
import { quiescent } from './quiescent.ts';

const PROGRAM = join(import.meta.dirname, 'program.ts');
const REPLY = ['first\nand second'];

const UPDATES: readonly Update[] = [
  { id: 1, place: 'hall', text: 'one' },
  { id: 2, place: 'attic', text: 'two' },
  { id: 3, place: 'hall', text: 'three' },
];

interface Life {
  readonly output: string;
  readonly killed: boolean;
}

/** One life of the gateway: it ends by its own hand, or when there is nothing left to do. */
async function live(
  directory: string,
  platform: Platform,
  killAt: number,
  file: string,
  manner = '',
): Promise<Life> {
  const child = spawn(process.execPath, [PROGRAM, directory, platform.url, String(killAt), manner], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(directory, '..', 'plugboard-test-compile-cache') },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.on('close', (_code, signal) => resolve(signal)),
  );
  const until = performance.now() + 20_000;
  const done = async (): Promise<void> => {
    while (child.exitCode === null && child.signalCode === null && performance.now() < until) {
      if (platform.acknowledged === UPDATES.length && quiescent(file)) return;
      await sleep(15);
    }
  };
  await done();
  child.kill('SIGTERM');
  const signal = await ended;
  return { output, killed: signal === 'SIGKILL' };
}

/** Kills the gateway at a fault point, starts it again, and lets the checker read what happened. */
async function crash(killAt: number, manner = ''): Promise<{ problems: string[]; life: Life }> {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'gateway.db');
  const platform = await startPlatform(UPDATES);
  try {
    const life = await live(directory.path, platform, killAt, file, manner);
    if (life.killed) await live(directory.path, platform, 0, file);
    const { updates, acknowledged, visible } = platform;
    const problems = judge({ updates, acknowledged, visible, file, reply: REPLY });
    return {
      problems: acknowledged === updates.length ? problems : [...problems, 'It did not come to rest.'],
      life,
    };
  } finally {
    await platform.close();
  }
}

describe('a gateway that is killed', () => {
  it('at any point between a message and its answer loses nothing and says nothing twice', {
    timeout: 240_000,
  }, async () => {
    const { problems, life } = await crash(0);
    expect(problems).toEqual([]);
    const hits = Number(/hits (\d+)/.exec(life.output)?.[1]);
    expect(hits).toBeGreaterThan(30);
    const failures: string[] = [];
    const points = Array.from({ length: hits }, (_, index) => index + 1);
    const worker = async (): Promise<void> => {
      for (let at = points.shift(); at !== undefined; at = points.shift()) {
        const result = await crash(at);
        if (!result.life.killed) failures.push(`${at}: it was not killed`);
        for (const problem of result.problems) failures.push(`${result.life.output.trim()}: ${problem}`);
      }
    };
    await Promise.all([worker(), worker(), worker()]);
    expect(failures).toEqual([]);
  });

  it('and acknowledges before it has taken in is found out', async () => {
    const found: string[] = [];
    for (let at = 1; at < 30 && found.length === 0; at += 1) {
      const { problems, life } = await crash(at, 'careless');
      if (life.output.includes('before inbox.admit')) found.push(...problems);
    }
    expect(found).toContain('Update 1 was acknowledged and is lost.');
  });

  it('with a checker that sees what is wrong', async () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, 'gateway.db');
    const platform = await startPlatform(UPDATES);
    await live(directory.path, platform, 0, file);
    await platform.close();
    const { updates, acknowledged, visible } = platform;
    const [first, ...rest] = visible;
    if (first === undefined) throw new Error('Nothing was seen.');
    const history = { updates, acknowledged, visible, file, reply: REPLY };
    expect(judge(history)).toEqual([]);
    expect(judge({ ...history, visible: rest })).toHaveLength(1);
    expect(judge({ ...history, visible: [first, ...visible] })).toHaveLength(1);
    const unknown = { id: 4, place: 'hall', text: 'four' };
    expect(judge({ ...history, updates: [...updates, unknown], acknowledged: 4 })).toContain(
      'Update 4 was acknowledged and is lost.',
    );
  });
});
