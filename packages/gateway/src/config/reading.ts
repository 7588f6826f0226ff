import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Profile } from '@plugboard/host';
import type { SourceDocument } from '@plugboard/host/profile';
import type { Filled } from './references.ts';

/** Inputs of `readConfig` beside the file. */
export interface ReadConfigOptions {
  /** Source of `${NAME}`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default directory for the data of the gateway. */
  readonly dataDirectory: string;
  /** Demo agents by name: they are used when a file names no agents. Never empty. */
  readonly demos: ReadonlyMap<string, Demo>;
}

/** A demo agent of the package. */
export interface Demo {
  readonly profile: Profile;
  readonly description?: string;
}

/** State during the reading of one configuration. */
export interface Reading {
  readonly source: SourceDocument;
  readonly filled: Filled;
  /** Absolute path of the directory that relative paths start from. */
  readonly directory: string;
  readonly options: ReadConfigOptions;
  /** Absolute paths of all files that were read. */
  readonly files: Set<string>;
}

/** A path for problems: relative to the directory under which the configuration file was named. */
export function shownPath({ source }: Reading, path: string): string {
  const expanded = expandHome(path);
  return isAbsolute(expanded) ? expanded : join(dirname(source.file), expanded);
}

/** A path of the file as an absolute path. */
export function absolutePath({ directory }: Reading, path: string): string {
  return resolve(directory, expandHome(path));
}

function expandHome(path: string): string {
  if (path === '~') return homedir();
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}
