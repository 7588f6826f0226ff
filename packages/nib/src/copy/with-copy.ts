import { chooseBackend } from '../backend/choose-backend.ts';
import { findBackend } from '../backend/find-backend.ts';
import { type BackendSession, withBackend } from '../backend/with-backend.ts';
import type { Env } from '../env.ts';
import { createCopy, type ProjectCopy } from './project-copy.ts';

/** A backend at work on a copy of the project. */
export interface CopySession {
  readonly env: Env;
  /** The project itself. */
  readonly root: string;
  readonly session: BackendSession;
  readonly copy: ProjectCopy;
}

/** Options of `withCopy`. */
export interface WorkOptions {
  readonly timeout: number | undefined;
  /** Scenes that are watched at any path and of any size. */
  readonly scenes?: readonly string[];
}

/** Opens the backend of a project on a copy, and deletes the copy afterwards. Only nib writes to the project. */
export async function withCopy<T>(
  env: Env,
  root: string,
  { timeout, scenes = [] }: WorkOptions,
  action: (work: CopySession) => Promise<T>,
): Promise<T> {
  const { name } = await chooseBackend(env, root);
  findBackend(env, name);
  const variables = await readGitSettings(env, root);
  const copy = await createCopy(env, root, scenes);
  try {
    const options = { name, timeout, variables, shownAs: root };
    return await withBackend(env, copy.root, options, (session) => action({ env, root, session, copy }));
  } finally {
    copy.remove();
  }
}

/**
 * The project's `nib.*` settings of git as `GIT_CONFIG_*` variables, which git reads too: the copy of a project has no
 * repository.
 */
async function readGitSettings(env: Env, root: string): Promise<Record<string, string>> {
  const { exitCode, stdout } = await env.run(['git', 'config', '--null', '--get-regexp', '^nib\\.'], {
    cwd: root,
    input: '',
  });
  if (exitCode !== 0) return {};
  const variables: Record<string, string> = {};
  let count = Number(env.variables.GIT_CONFIG_COUNT ?? 0) || 0;
  for (const entry of stdout.split('\0').filter((one) => one !== '')) {
    const [key = '', ...value] = entry.split('\n');
    variables[`GIT_CONFIG_KEY_${count}`] = key;
    variables[`GIT_CONFIG_VALUE_${count}`] = value.join('\n');
    count += 1;
  }
  return { ...variables, GIT_CONFIG_COUNT: String(count) };
}
