import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostMark, killStragglers, spawn } from '@plugboard/process';
import { BackendError } from '../failure.ts';
import { LONGEST_ARGUMENT, PRINTING } from './arguments.ts';
import type { Program } from './program.ts';
import { createRunner } from './run.ts';

/** How a conversation at the terminal ended. */
export interface TerminalEnd {
  readonly exitCode: number;
  readonly stderr: string;
}

/** Runs `claude` with the terminal in its hands. */
export interface Terminal {
  readonly program: Program;
  readonly cwd: string;
  /** Aborted when we are asked to end. */
  readonly signal: AbortSignal;
}

// What it writes to stderr decides whether a conversation can be had; all else of the terminal stays its own.
const KEEPING_ERRORS = 'errors=$1; shift; exec "$@" 2>"$errors"';

const GRACE_MS = 2_000;

/** Hands the terminal over, with a first prompt if there is one, and waits for the end. */
export async function runInTerminal(
  { program, cwd, signal }: Terminal,
  args: readonly string[],
  prompt?: string,
): Promise<TerminalEnd> {
  const folder = mkdtempSync(join(program.temporary, 'nib-claude-'));
  try {
    const errors = join(folder, 'stderr');
    writeFileSync(errors, '', { mode: 0o600 });
    const given = [...args, ...promptArguments(prompt)];
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

/** A prompt that begins with a hyphen would be taken for an option by some versions, also after `--`. */
function promptArguments(prompt: string | undefined): readonly string[] {
  if (prompt === undefined) return [];
  return ['--', prompt.startsWith('-') ? `\n${prompt}` : prompt];
}

/**
 * Begins a conversation over the pipes, which take a prompt of any length; it can then be resumed at the terminal. The prompt
 * cannot be put into a file: `claude` has no tool to read it where an operation gives it none.
 */
export async function beginByPipe(
  { program, cwd, signal }: Terminal,
  args: readonly string[],
  prompt: string,
): Promise<TerminalEnd> {
  try {
    const run = { args: [...PRINTING, ...args], prompt, cwd, signal, onStep: () => {} };
    await createRunner(program).run(run);
    return { exitCode: 0, stderr: '' };
  } catch (error) {
    if (error instanceof BackendError) return { exitCode: 1, stderr: error.message };
    throw error;
  }
}

/** Whether a prompt fits on the command line. */
export function fitsPrompt(prompt: string): boolean {
  return Buffer.byteLength(prompt) <= LONGEST_ARGUMENT;
}
