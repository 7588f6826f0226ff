import { spawn } from 'node:child_process';
import { errorCode } from '../failure.ts';

/** How a program is run: with our terminal, or with pipes when `input` is given. */
export interface ChildOptions {
  readonly cwd: string;
  /** What the program reads; its output is then caught rather than shown. */
  readonly input?: string;
}

/** How a program ended; `problem` says why it could not be started. */
export interface ChildEnd {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly problem: 'not-found' | 'not-executable' | 'failed' | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

const ENDINGS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs a program to its end; never throws. While it runs, a signal that would end us goes to it. */
export function runChild(
  argv: readonly string[],
  { cwd, input }: ChildOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ChildEnd> {
  const [command = '', ...args] = argv;
  const piped = input !== undefined;
  const child = spawn(command, args, { cwd, env, stdio: piped ? 'pipe' : 'inherit' });
  const caught = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (caught.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (caught.stderr += text));
  // A program may end without reading what it was given.
  child.stdin?.on('error', () => {}).end(input);
  const forward = (signal: NodeJS.Signals): void => {
    // The terminal itself tells an editor of Ctrl-C, which may mean something else to it than the end.
    if (piped || signal !== 'SIGINT') child.kill(signal);
  };
  for (const signal of ENDINGS) process.on(signal, forward);
  return new Promise<ChildEnd>((resolve) => {
    const settle = (end: Omit<ChildEnd, 'stdout' | 'stderr'>): void => {
      for (const signal of ENDINGS) process.off(signal, forward);
      resolve({ ...end, ...caught });
    };
    child.on('error', (error) =>
      settle({ exitCode: undefined, signal: undefined, problem: problemOf(error) }),
    );
    child.on('close', (code, signal) => {
      settle({ exitCode: code ?? undefined, signal: signal ?? undefined, problem: undefined });
    });
  });
}

function problemOf(error: Error): ChildEnd['problem'] {
  const code = errorCode(error);
  if (code === 'ENOENT') return 'not-found';
  return code === 'EACCES' ? 'not-executable' : 'failed';
}
