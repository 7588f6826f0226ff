import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostMark, killStragglers, spawn } from '@plugboard/process';
import { BackendError } from '../failure.ts';
import { LONGEST_ARGUMENT, PRINT_ARGUMENTS } from './arguments.ts';
import type { ClaudeProgram } from './claude-program.ts';
import { createRunner } from './claude-runner.ts';

/** The result of `runInTerminal`. */
export interface TerminalEnd {
  readonly exitCode: number;
  readonly stderr: string;
}

/** The input of `runInTerminal`. */
export interface Terminal {
  readonly program: ClaudeProgram;
  readonly cwd: string;
  /** Aborted when this process gets a stop signal. */
  readonly signal: AbortSignal;
}

// Redirects stderr to a file: its text tells whether the conversation could be started. stdin and stdout stay on the
// terminal.
const STDERR_SCRIPT = 'errors=$1; shift; exec "$@" 2>"$errors"';

const GRACE_MS = 2_000;

/** Runs `claude` on the terminal, with an optional first prompt, until it exits. */
export async function runInTerminal(
  { program, cwd, signal }: Terminal,
  args: readonly string[],
  prompt?: string,
): Promise<TerminalEnd> {
  const folder = mkdtempSync(join(program.temporary, 'nib-claude-'));
  try {
    const errors = join(folder, 'stderr');
    writeFileSync(errors, '', { mode: 0o600 });
    const given = [...args, ...createPromptArguments(prompt)];
    const shell = ['-c', STDERR_SCRIPT, 'sh', errors, program.command, ...given];
    const exitCode = await runProgram(
      { file: '/bin/sh', args: shell, cwd, env: program.environment },
      signal,
    );
    return { exitCode, stderr: readFileSync(errors, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runProgram(
  command: { file: string; args: readonly string[]; cwd: string; env: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<number> {
  const child = spawn({ ...command, stdio: 'inherit' }, { killGraceMs: GRACE_MS });
  const stop = (): void => child.stop('cancel');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const { exitCode } = await child.ended;
  signal.removeEventListener('abort', stop);
  // The child shares our process group, which must not be signalled; `killStragglers` finds its descendants by their
  // mark.
  if (signal.aborted) await killStragglers(hostMark());
  return exitCode;
}

/** Some versions take a prompt that begins with a hyphen for an option, even after `--`. */
function createPromptArguments(prompt: string | undefined): readonly string[] {
  if (prompt === undefined) return [];
  return ['--', prompt.startsWith('-') ? `\n${prompt}` : prompt];
}

/**
 * Starts a conversation over the pipes, which accept a prompt of any length; the terminal can then resume it. A prompt
 * file would not work: without tools `claude` cannot read it.
 */
export async function beginByPipe(
  { program, cwd, signal }: Terminal,
  args: readonly string[],
  prompt: string,
): Promise<TerminalEnd> {
  try {
    const run = { args: [...PRINT_ARGUMENTS, ...args], prompt, cwd, signal, onStep: () => {} };
    await createRunner(program).run(run);
    return { exitCode: 0, stderr: '' };
  } catch (error) {
    if (error instanceof BackendError) return { exitCode: 1, stderr: error.message };
    throw error;
  }
}

/** Whether a prompt is within `LONGEST_ARGUMENT`. */
export function fitsPrompt(prompt: string): boolean {
  return Buffer.byteLength(prompt) <= LONGEST_ARGUMENT;
}
