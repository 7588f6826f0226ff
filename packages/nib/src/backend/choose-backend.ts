import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';
import { isAgentName, readAgentSetting } from '../project/agent-setting.ts';

/** The result of `chooseBackend`. */
export interface Choice {
  readonly name: string;
  /** The setting in words, such as `git config nib.agent`. */
  readonly source: string;
}

const DEFAULT_NAME = 'claude';

/**
 * Chooses the backend of a project from the first of these: the variable NIB_AGENT, the git setting `nib.agent` as seen
 * from the project's root, `.nib/config.json`, the default.
 */
export async function chooseBackend(env: Env, root: string): Promise<Choice> {
  const choice = await findChoice(env, root);
  if (isAgentName(choice.name)) return choice;
  throw new NibError(
    `${JSON.stringify(choice.name)} (from ${choice.source}) cannot name a backend: it becomes part of nib-agent-NAME, so use letters, digits, dots, hyphens and underscores, at most 64, a letter or digit first.`,
  );
}

async function findChoice(env: Env, root: string): Promise<Choice> {
  const named = env.variables.NIB_AGENT ?? '';
  if (named !== '') return { name: named, source: 'the variable NIB_AGENT' };
  const configured = await readGitSetting(env, root);
  if (configured !== '') return { name: configured, source: 'git config nib.agent' };
  const written = readAgentSetting(root);
  if (written !== undefined) return { name: written, source: '.nib/config.json' };
  return { name: DEFAULT_NAME, source: 'the default' };
}

/** Reads `nib.agent`; returns '' without git or without the setting, which are both common. */
async function readGitSetting(env: Env, root: string): Promise<string> {
  const { exitCode, stdout } = await env.run(['git', 'config', '--get', 'nib.agent'], {
    cwd: root,
    input: '',
  });
  return exitCode === 0 ? stdout.trim() : '';
}
