import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SEED, sample, temporaryDirectory } from '@plugboard/testkit';
import { rolldown } from 'rolldown';
import type { Histories } from './checker.ts';
import { type Platform, startPlatform, type Update } from './platform.ts';
import { quiescent } from './quiescent.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../store/src/drivers/sqlite/migrations');

const BUNDLE = temporaryDirectory();
process.on('exit', () => BUNDLE[Symbol.dispose]());

/** In one file, which is read in a quarter of the time: it is started some two hundred times. */
const PROGRAM: string = await bundled('program.ts');

async function bundled(name: string): Promise<string> {
  const file = join(BUNDLE.path, 'program.js');
  const bundle = await rolldown({ platform: 'node', input: join(import.meta.dirname, name) });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  // They are looked for beside the file.
  cpSync(MIGRATIONS, join(BUNDLE.path, 'migrations'), { recursive: true });
  return file;
}

/** What an agent that is not interrupted answers. */
export const REPLY = ['first\nand second'];

export interface Life {
  readonly output: string;
  readonly killed: boolean;
}

export interface Crash {
  readonly life: Life;
  readonly problems: readonly string[];
}

/** Reads what happened, and says what is wrong with it. */
export type Judge = (histories: Histories) => string[];

/** One life of the gateway, which `killAt` ends at the n-th fault point, or at the first one of this name. Otherwise: it ends by its own hand, or when there is nothing left to do. */
export async function live(
  directory: string,
  platform: Platform,
  killAt: number | string,
  manner = '',
  last: NodeJS.Signals = 'SIGTERM',
): Promise<Life> {
  const child = spawn(process.execPath, [PROGRAM, directory, platform.url, String(killAt), manner], {
    stdio: ['ignore', 'pipe', 'inherit'],
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
      if (platform.acknowledged === platform.updates.length && quiescent(fileIn(directory))) return;
      await sleep(15);
    }
  };
  await done();
  child.kill(last);
  const signal = await ended;
  return { output, killed: signal === 'SIGKILL' };
}

/** Kills the gateway at a fault point, starts it again, and lets the checker read what happened. */
export async function crash(
  updates: readonly Update[],
  judge: Judge,
  killAt: number | string,
  manner = '',
): Promise<Crash> {
  using directory = temporaryDirectory();
  const platform = await startPlatform(updates);
  try {
    const life = await live(directory.path, platform, killAt, manner);
    // What came to rest is on the disk, and loses nothing by an end that takes no time.
    if (life.killed) await live(directory.path, platform, 0, '', 'SIGKILL');
    const problems = judge(historiesOf(platform, directory.path));
    const rested = platform.acknowledged === updates.length;
    return { life, problems: rested ? problems : [...problems, 'It did not come to rest.'] };
  } finally {
    await platform.close();
  }
}

/** Kills the gateway at one of `share` fault points, or at every one; everything that went wrong. `alone` commits every call alone. */
export async function sweep(
  updates: readonly Update[],
  judge: Judge,
  share = 1,
  manner = '',
): Promise<string[]> {
  const { problems, life } = await crash(updates, judge, 0, manner);
  const failures = [...problems];
  const hits = Number(/hits (\d+)/.exec(life.output)?.[1]);
  // Fewer, and there is something that is not being killed.
  if (!(hits > 12 * updates.length)) failures.push(`There are only ${hits} points.`);
  const all = Array.from({ length: hits }, (_, index) => index + 1);
  const points = share === 1 ? all : sample(all, share);
  if (share > 1) console.info(`${points.length} of ${hits} fault points, drawn with PLUGBOARD_SEED=${SEED}`);
  const worker = async (): Promise<void> => {
    for (let at = points.shift(); at !== undefined; at = points.shift()) {
      const result = await crash(updates, judge, at, manner);
      if (!result.life.killed) failures.push(`${at}: it was not killed`);
      for (const problem of result.problems) failures.push(`${result.life.output.trim()}: ${problem}`);
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  return failures;
}

export function historiesOf({ updates, acknowledged, visible }: Platform, directory: string): Histories {
  return { updates, acknowledged, visible, file: fileIn(directory), reply: REPLY };
}

function fileIn(directory: string): string {
  return join(directory, 'gateway.db');
}
