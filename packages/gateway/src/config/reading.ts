import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Profile } from '@plugboard/host';
import type { SourceDocument } from '@plugboard/host/profile';
import type { Filled } from './references.ts';

/** What a configuration is read with beside its file. */
export interface ReadConfigOptions {
  /** The variables that `${NAME}` is taken from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the gateway keeps what it is not told to keep elsewhere. */
  readonly dataDirectory: string;
  /** The agents that come with the program, by name: all of them answer when a file names none. Never empty. */
  readonly demos: ReadonlyMap<string, Demo>;
}

/** An agent that comes with the program. */
export interface Demo {
  readonly profile: Profile;
  readonly description?: string;
}

/** One configuration while it is read. */
export interface Reading {
  readonly source: SourceDocument;
  readonly filled: Filled;
  /** Absolute path of the directory that relative paths start from. */
  readonly directory: string;
  readonly options: ReadConfigOptions;
  /** Every file that was looked at, as an absolute path. */
  readonly files: Set<string>;
}

/** A path of the file as problems show it: relative to where the file itself was named from. */
export function shownPath({ source }: Reading, path: string): string {
  const expanded = expandHome(path);
  return isAbsolute(expanded) ? expanded : join(dirname(source.file), expanded);
}

/** A path of the file, whole. */
export function absolutePath({ directory }: Reading, path: string): string {
  return resolve(directory, expandHome(path));
}

function expandHome(path: string): string {
  if (path === '~') return homedir();
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}
