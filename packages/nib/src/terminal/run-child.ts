import { spawn } from 'node:child_process';
import { getErrorCode } from '../nib-error.ts';

/** Runs a program with our terminal, or with pipes when `input` is given. */
export interface ChildOptions {
  readonly cwd: string;
  /** The text for stdin; stdout and stderr are then captured. */
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

const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs a program to its end; never throws. Meanwhile, stop signals for nib are forwarded to it. */
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
  // EPIPE: a program may exit without reading its stdin.
  child.stdin?.on('error', () => {}).end(input);
  const forward = (signal: NodeJS.Signals): void => {
    // The terminal itself sends SIGINT to an editor, where Ctrl-C may be a command.
    if (piped || signal !== 'SIGINT') child.kill(signal);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, forward);
  return new Promise<ChildEnd>((resolve) => {
    const settle = (end: Omit<ChildEnd, 'stdout' | 'stderr'>): void => {
      for (const signal of STOP_SIGNALS) process.off(signal, forward);
      resolve({ ...end, ...caught });
    };
    child.on('error', (error) =>
      settle({ exitCode: undefined, signal: undefined, problem: classifyError(error) }),
    );
    child.on('close', (code, signal) => {
      settle({ exitCode: code ?? undefined, signal: signal ?? undefined, problem: undefined });
    });
  });
}

function classifyError(error: Error): ChildEnd['problem'] {
  const code = getErrorCode(error);
  if (code === 'ENOENT') return 'not-found';
  return code === 'EACCES' ? 'not-executable' : 'failed';
}
