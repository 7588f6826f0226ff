import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { until } from '@plugboard/testkit';
import { argumentsFor, environment, NUUM, type Started, workplace } from '../wire/agent.ts';

/** What a program has printed, and how it ended. */
export interface Done {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

/** A program that is running. */
export interface Running {
  readonly child: ChildProcess;
  readonly directory: string;
  stdout(): string;
  /** Waits until it has printed this. */
  printed(text: string | RegExp): Promise<void>;
  type(text: string): void;
  readonly done: Promise<Done>;
}

/** Starts nuum with these arguments; with `null` its input stays open. Its output goes to the file `output`, if given. */
export function run(
  args: readonly string[],
  started: Started = {},
  input: string | null = '',
  output?: string,
): Running {
  const directory = started.directory ?? workplace();
  const all = [NUUM, ...argumentsFor(directory, started), ...args];
  const child = spawn(process.execPath, all, {
    cwd: directory,
    env: environment(directory, started),
    stdio: ['pipe', output === undefined ? 'pipe' : openSync(output, 'w'), 'pipe'],
  });
  if (input !== null) child.stdin?.end(input);
  return follow(child, directory);
}

/** The same in a terminal of its own. */
export function runInTerminal(args: readonly string[], started: Started = {}): Running {
  const directory = started.directory ?? workplace();
  const line = [process.execPath, NUUM, ...argumentsFor(directory, started), ...args]
    .map((word) => `'${word}'`)
    .join(' ');
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    cwd: directory,
    env: { ...environment(directory, started), TERM: 'xterm' },
  });
  return follow(child, directory);
}

function follow(child: ReturnType<typeof spawn>, directory: string): Running {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdin?.on('error', () => {});
  return {
    child,
    directory,
    stdout: () => stdout,
    printed: (text) =>
      until(
        () => (typeof text === 'string' ? stdout.includes(text) : text.test(stdout)),
        `${text} in ${stdout} ${stderr}`,
        15_000,
      ),
    type: (text) => void child.stdin?.write(text),
    done: once(child, 'close').then(([code]) => ({ stdout, stderr, code })),
  };
}
