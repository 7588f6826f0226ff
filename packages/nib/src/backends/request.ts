import { realpathSync, statSync } from 'node:fs';
import { isObject, type Turn } from '@plugboard/protocol';
import { BackendError } from './failure.ts';

/** A text field of the turn's operation; empty when it is absent or no string. */
export function getField({ operation }: Turn, name: string): string {
  const value = operation?.fields[name];
  return typeof value === 'string' ? value : '';
}

/** The paths of the turn's operation, as the host sent them. */
export function getPaths({ operation }: Turn): readonly string[] {
  const paths = operation?.fields.paths;
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
}

/** The root of the turn's project, links resolved; `cwd` when the host names none. */
export function resolveProject(turn: Turn, cwd: string): string {
  const dir = getField(turn, 'dir') || cwd;
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync(dir);
  throw new BackendError('no-project', `The project directory ${dir} does not exist.`);
}

/** The session of a turn; an absent flag is false. */
export interface SessionRequest {
  readonly id: string;
  readonly resume: boolean;
  readonly fresh: boolean;
}

/**
 * The session of the turn's operation; undefined without one. `resume` overrides `new`, because it loses no messages.
 */
export function getSession({ operation }: Turn): SessionRequest | undefined {
  const session = operation?.fields.session;
  if (!isObject(session) || typeof session.id !== 'string' || session.id === '') return undefined;
  const resume = session.resume === true;
  return { id: session.id, resume, fresh: session.new === true && !resume };
}
