import { realpathSync, statSync } from 'node:fs';
import { isObject, type Turn } from '@plugboard/protocol';
import { BackendError } from './failure.ts';

/** A text field of the turn's operation; empty when it is absent or something else. */
export function fieldOf({ operation }: Turn, name: string): string {
  const value = operation?.fields[name];
  return typeof value === 'string' ? value : '';
}

/** The paths of the turn's operation, as the host gave them. */
export function pathsOf({ operation }: Turn): readonly string[] {
  const paths = operation?.fields.paths;
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
}

/** The root of the project that a turn is about, links resolved; `cwd` when the host names none. */
export function projectOf(turn: Turn, cwd: string): string {
  const dir = fieldOf(turn, 'dir') || cwd;
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync(dir);
  throw new BackendError('no-project', `The project directory ${dir} does not exist.`);
}

/** Which conversation a turn wants; a flag that is not there is false. */
export interface SessionWish {
  readonly id: string;
  readonly resume: boolean;
  readonly fresh: boolean;
}

/** The session of the turn's operation, if it names one. Resuming wins over beginning anew: nothing is lost by it. */
export function sessionOf({ operation }: Turn): SessionWish | undefined {
  const session = operation?.fields.session;
  if (!isObject(session) || typeof session.id !== 'string' || session.id === '') return undefined;
  const resume = session.resume === true;
  return { id: session.id, resume, fresh: session.new === true && !resume };
}
