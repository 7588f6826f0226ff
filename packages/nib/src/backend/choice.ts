import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { agentInProject, isAgentName } from '../project/agent-setting.ts';

/** Which backend is used, and what says so. */
export interface Choice {
  readonly name: string;
  /** Where the name was found, as it is told to a person. */
  readonly source: string;
}

const USUAL = 'claude';

/**
 * Chooses the backend of a project: the variable NIB_AGENT, then git's setting nib.agent as seen from the project's root,
 * then what the project itself has written down, then the usual one.
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
  const configured = await inGit(env, root);
  if (configured !== '') return { name: configured, source: 'git config nib.agent' };
  const written = agentInProject(root);
  if (written !== undefined) return { name: written, source: '.nib/config.json' };
  return { name: USUAL, source: 'the default' };
}

/** Without git, or without a setting, there is none: both are usual. */
async function inGit(env: Env, root: string): Promise<string> {
  const { exitCode, stdout } = await env.run(['git', 'config', '--get', 'nib.agent'], {
    cwd: root,
    input: '',
  });
  return exitCode === 0 ? stdout.trim() : '';
}
