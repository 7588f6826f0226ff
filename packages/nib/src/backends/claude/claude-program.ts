import { lookUp } from '@plugboard/process';
import { BackendError } from '../failure.ts';

/** The command line and environment of `claude`. */
export interface ClaudeProgram {
  /** A name on the PATH, or a path. */
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The command line of this backend, which `claude` calls with `--permit` before it uses a tool. */
  readonly hook: readonly string[];
  /** The parent directory of the policy and settings files that `withConfinement` writes. */
  readonly temporary: string;
}

/**
 * The person's environment without two variables: the request file is meant for this process, and with CLAUDECODE
 * `claude` refuses to start inside another `claude`, from which an author may call nib.
 */
export function createEnvironment(given: Readonly<Record<string, string>>): Record<string, string> {
  const { NIB_AGENT_REQUEST_FILE: _request, CLAUDECODE: _mark, ...rest } = given;
  return rest;
}

/** Throws with installation instructions when `claude` is not installed. */
export async function requireProgram({ command, environment }: ClaudeProgram, cwd: string): Promise<void> {
  const { kind } = await lookUp({ file: command, args: [], cwd, env: environment });
  if (kind === 'program') return;
  throw new BackendError(
    'no-claude',
    `${command} was not found. Install Claude Code (npm install -g @anthropic-ai/claude-code) and log in by starting it once, or say where it is with NIB_CLAUDE_COMMAND, or choose another agent: NIB_AGENT=local, or git config nib.agent NAME.`,
  );
}
