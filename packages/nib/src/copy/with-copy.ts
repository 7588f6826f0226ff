import { chooseBackend } from '../backend/choice.ts';
import { findBackend } from '../backend/lookup.ts';
import { type Session, withBackend } from '../backend/with-backend.ts';
import type { Env } from '../env.ts';
import { gitSettings } from './git-settings.ts';
import { createCopy, type ProjectCopy } from './project-copy.ts';

/** A backend at work on a copy of the project. */
export interface Work {
  readonly env: Env;
  /** The project itself. */
  readonly root: string;
  readonly session: Session;
  readonly copy: ProjectCopy;
}

/** Options of `withCopy`. */
export interface WorkOptions {
  readonly timeout: number | undefined;
  /** Scenes that are watched wherever they lie and however large they are. */
  readonly scenes?: readonly string[];
}

/** Opens the backend of a project on a copy, and deletes the copy afterwards. Only nib writes to the project. */
export async function withCopy<T>(
  env: Env,
  root: string,
  { timeout, scenes = [] }: WorkOptions,
  action: (work: Work) => Promise<T>,
): Promise<T> {
  const { name } = await chooseBackend(env, root);
  findBackend(env, name);
  const variables = await gitSettings(env, root);
  const copy = await createCopy(env, root, scenes);
  try {
    const options = { name, timeout, variables, shownAs: root };
    return await withBackend(env, copy.root, options, (session) => action({ env, root, session, copy }));
  } finally {
    copy.remove();
  }
}
