import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { StorePlace } from '@plugboard/store/move';
import { CommandFailure } from '../failure.ts';
import { reasonFor } from '../system-problem.ts';

/** `--to` of `plugboard db move`, and what it becomes in the configuration. */
export interface TargetPlace {
  readonly place: StorePlace;
  /** The line of the configuration that names the store. Without a password. */
  readonly setting: string;
}

const WANTED =
  'Name the new store: --to postgres://USER@HOST/DATABASE, --to file:PATH for a file that holds such a URL alone, or --to sqlite:PATH.';

export function readTarget(given: string): TargetPlace {
  if (/^postgres(ql)?:\/\//.test(given)) return postgresTarget(given, undefined);
  if (given.startsWith('sqlite:') && given.length > 'sqlite:'.length) {
    const file = resolve(given.slice('sqlite:'.length));
    return { place: { kind: 'sqlite', file }, setting: `store: { file: ${JSON.stringify(file)} }` };
  }
  if (given.startsWith('file:') && given.length > 'file:'.length) {
    const file = resolve(given.slice('file:'.length));
    return postgresTarget(readUrl(file), file);
  }
  throw new CommandFailure(WANTED);
}

/** A URL with a password is kept in a file that others cannot read. */
function readUrl(file: string): string {
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw new CommandFailure(`Others can read the file ${file}: run chmod 600 ${file}`);
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`The file ${file} cannot be read: ${reasonFor(error)}.`);
  }
}

function postgresTarget(url: string, file: string | undefined): TargetPlace {
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) throw new CommandFailure(WANTED);
  const hasPassword = new URL(url).password !== '' || /password/i.test(new URL(url).search);
  const setting =
    file === undefined && !hasPassword
      ? `store: ${JSON.stringify(url)}`
      : `store: { url: { file: ${JSON.stringify(file ?? './database')} } }${file === undefined ? '   # a file with the URL alone, chmod 600' : ''}`;
  return { place: { kind: 'postgres', url }, setting };
}
