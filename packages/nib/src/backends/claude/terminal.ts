import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostMark, killStragglers, spawn } from '@plugboard/process';
import { LONGEST_ARGUMENT } from './arguments.ts';
import type { Program } from './program.ts';

/** How a conversation at the terminal ended. */
export interface TerminalEnd {
  readonly exitCode: number;
  readonly stderr: string;
}

/** Runs `claude` with the terminal in its hands. */
export interface Terminal {
  readonly program: Program;
  readonly cwd: string;
  /** Where private files go. */
  readonly temporary: string;
  /** Aborted when we are asked to end. */
  readonly signal: AbortSignal;
}

// What it writes to stderr decides whether a conversation can be had; all else of the terminal stays its own.
const KEEPING_ERRORS = 'errors=$1; shift; exec "$@" 2>"$errors"';

const GRACE_MS = 2_000;

/** Hands the terminal over, with a first prompt if there is one, and waits for the end. */
export async function runInTerminal(
  { program, cwd, temporary, signal }: Terminal,
  args: readonly string[],
  prompt?: string,
): Promise<TerminalEnd> {
  const folder = mkdtempSync(join(temporary, 'nib-claude-'));
  try {
    const errors = join(folder, 'stderr');
    writeFileSync(errors, '', { mode: 0o600 });
    const given = [...args, ...promptArguments(prompt, folder)];
    const shell = ['-c', KEEPING_ERRORS, 'sh', errors, program.command, ...given];
    const exitCode = await run({ file: '/bin/sh', args: shell, cwd, env: program.environment }, signal);
    return { exitCode, stderr: readFileSync(errors, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(
  command: { file: string; args: readonly string[]; cwd: string; env: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<number> {
  const child = spawn({ ...command, stdio: 'inherit' }, { killGraceMs: GRACE_MS });
  const stop = (): void => child.stop('cancel');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const { exitCode } = await child.ended;
  signal.removeEventListener('abort', stop);
  // It shares our group, which must not be killed as a whole: what it has started is found by its mark.
  if (signal.aborted) await killStragglers(hostMark());
  return exitCode;
}

/** What is too long for an argument, or looks like an option, is put into a file that `claude` is told to read. */
function promptArguments(prompt: string | undefined, folder: string): readonly string[] {
  if (prompt === undefined) return [];
  if (Buffer.byteLength(prompt) <= LONGEST_ARGUMENT && !prompt.startsWith('-')) return ['--', prompt];
  const file = join(folder, 'prompt.md');
  writeFileSync(file, prompt, { mode: 0o600, flag: 'wx' });
  return ['--add-dir', folder, '--', `Read the file ${file} and do what it says. Do not mention the file.`];
}
