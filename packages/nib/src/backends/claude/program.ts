import { lookUp } from '@plugboard/process';
import { BackendError } from '../failure.ts';

/** How `claude` is started. */
export interface Program {
  /** A name to be found on the PATH, or a path. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The command line of this backend, which `claude` calls with `--permit` before it uses a tool. */
  readonly hook: readonly string[];
  /** Where private files go. */
  readonly temporary: string;
}

/**
 * The person's environment without what belongs to the program that started us: a request that was meant for us alone, and
 * the mark by which a `claude` inside another refuses to start, since an author may well call nib from there.
 */
export function environmentFor(given: Readonly<Record<string, string>>): Record<string, string> {
  const { NIB_AGENT_REQUEST_FILE: _request, CLAUDECODE: _mark, ...rest } = given;
  return rest;
}

/** Throws a sentence that says how to get it when it is not there. */
export async function requireProgram({ command, environment }: Program, cwd: string): Promise<void> {
  const { kind } = await lookUp({ file: command, args: [], cwd, env: environment });
  if (kind === 'program') return;
  throw new BackendError(
    'no-claude',
    `${command} was not found. Install Claude Code (npm install -g @anthropic-ai/claude-code) and log in by starting it once, or say where it is with NIB_CLAUDE_COMMAND, or choose another agent: NIB_AGENT=local, or git config nib.agent NAME.`,
  );
}
