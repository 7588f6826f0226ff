import type { Env } from '../../env.ts';
import { NibError } from '../../nib-error.ts';
import { writeAgentSetting } from '../../project/agent-setting.ts';

/** Creates a git repository unless the directory is inside one; returns whether git tracks it now. */
export async function ensureRepository(env: Env, directory: string): Promise<boolean> {
  const inside = await runGit(env, directory, ['rev-parse', '--is-inside-work-tree']);
  if (inside.exitCode === 0) return true;
  if (inside.problem !== undefined) {
    env.err('git is not on the PATH, so that the project is not under version control.\n');
    return false;
  }
  const made = await runGit(env, directory, ['init', '--quiet']);
  if (made.exitCode === 0) return true;
  throw new NibError(
    `git init failed: ${made.stderr.trim()}. The project is there; --no-git leaves git out.`,
  );
}

/**
 * Records the backend in git's configuration if the project is its own repository, otherwise in `.nib/config.json`:
 * git's settings apply to every book of a repository.
 */
export async function recordAgent(
  env: Env,
  directory: string,
  agent: string,
  hasGit: boolean,
): Promise<void> {
  if (!hasGit || !(await isOwnRepository(env, directory))) {
    writeAgentSetting(directory, agent);
    return warnAboutSetting(env, directory, agent);
  }
  const { exitCode, stderr } = await runGit(env, directory, ['config', 'nib.agent', agent]);
  if (exitCode !== 0) throw new NibError(`git config nib.agent failed: ${stderr.trim()}`);
}

async function isOwnRepository(env: Env, directory: string): Promise<boolean> {
  const { exitCode, stdout } = await runGit(env, directory, ['rev-parse', '--show-prefix']);
  return exitCode === 0 && stdout.trim() === '';
}

async function warnAboutSetting(env: Env, directory: string, agent: string): Promise<void> {
  const { exitCode, stdout } = await runGit(env, directory, ['config', '--get', 'nib.agent']);
  const set = stdout.trim();
  if (exitCode !== 0 || set === '' || set === agent) return;
  env.err(`git config nib.agent says ${set}, and that goes before ${agent}, which this project has noted.\n`);
}

function runGit(env: Env, cwd: string, args: readonly string[]): ReturnType<Env['run']> {
  return env.run(['git', ...args], { cwd, input: '' });
}
