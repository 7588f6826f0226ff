import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLUGBOARD, temporaryDirectory } from '@plugboard/testkit';
import { afterAll } from 'vitest';

/** How a command ended and what it said. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Options {
  readonly input?: string;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** Called once the command has started. */
  readonly during?: (child: ChildProcess, output: () => string) => Promise<void>;
}

/** Half of the start of a command is reading its modules: that is done once for all tests. */
export const ENVIRONMENT = {
  ...process.env,
  NO_COLOR: '1',
  NODE_COMPILE_CACHE: join(tmpdir(), 'plugboard-test-modules'),
};

/** A terminal agent gets a directory for its user below the one that the command is started in. */
const elsewhere = temporaryDirectory();
afterAll(() => elsewhere[Symbol.dispose]());

/** Runs the command line as a person would, in an empty directory unless `cwd` names another. */
export function plugboard(args: readonly string[], options: Options = {}): Promise<Finished> {
  return run([...PLUGBOARD, ...args], options);
}

/** Runs a program. */
export async function run([file = '', ...args]: readonly string[], options: Options = {}): Promise<Finished> {
  const env = { ...ENVIRONMENT, ...options.env };
  return finish(spawn(file, args, { env, cwd: options.cwd ?? elsewhere.path }), options);
}

/** Runs the command line in a terminal of its own; stdout and stderr come as one. */
export async function inTerminal(args: readonly string[], options: Options = {}): Promise<Finished> {
  const line = [...PLUGBOARD, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const env = { ...process.env, TERM: 'xterm', ...options.env };
  return finish(
    spawn('script', ['-qfec', line, '/dev/null'], { env, cwd: options.cwd ?? elsewhere.path }),
    options,
  );
}

async function finish(child: ReturnType<typeof spawn>, options: Options): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  // A command may end before it has read everything.
  child.stdin?.on('error', () => {});
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (options.during === undefined) child.stdin?.end(options.input ?? '');
  else await options.during(child, () => stdout + stderr);
  return { code: await closed, stdout, stderr };
}
