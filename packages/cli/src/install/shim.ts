import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { CommandFailure } from '../failure.ts';
import { quoteSingly } from '../shell-word.ts';

const PREFIX = 'nib-agent-';

/** Line by which `isShim` recognizes our shims, so that other programs are not overwritten. */
const SIGNATURE = '# written by plugboard install';

/** The program that nib starts for an agent of this name; throws when it cannot be one. */
export function shimName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return `${PREFIX}${name}`;
  throw new CommandFailure(
    `${JSON.stringify(name)} cannot name an agent: use letters, digits, dots, hyphens and underscores, at most 64, a letter or digit first.`,
  );
}

/** Two lines for the shell that become the given command. */
export function shimText(command: readonly string[]): string {
  return `#!/bin/sh\nexec ${command.map(quoteSingly).join(' ')} ${SIGNATURE}\n`;
}

/** Writes a shim atomically; an existing file that is not a shim is kept, unless `force`. */
export function writeShim(file: string, text: string, force: boolean): void {
  if (statSync(file, { throwIfNoEntry: false }) !== undefined && !force && !isShim(file)) {
    throw new CommandFailure(`${file} is there already and is not ours. --force replaces it.`);
  }
  const next = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(next, text, { flag: 'wx' });
    chmodSync(next, 0o755);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw new CommandFailure(`${file} cannot be written: ${(error as Error).message}`, 1);
  }
}

/** Removes a shim; throws when the file is missing or is not a shim. */
export function removeShim(file: string): void {
  if (statSync(file, { throwIfNoEntry: false }) === undefined)
    throw new CommandFailure(`There is no ${file}.`, 1);
  if (!isShim(file)) throw new CommandFailure(`${file} is not ours, and stays.`, 1);
  rmSync(file);
}

/** The shims in `directories`, each with its command. */
export function listShims(
  directories: readonly string[],
): readonly { readonly file: string; readonly command: string }[] {
  return directories.flatMap((directory) =>
    namesIn(directory)
      .filter((name) => name.startsWith(PREFIX) && isShim(join(directory, name)))
      .map((name) => ({ file: join(directory, name), command: commandIn(join(directory, name)) })),
  );
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

function isShim(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size > 65_536) return false;
  const text = readFileSync(file, 'utf8');
  return text.startsWith('#!/bin/sh\nexec ') && text.endsWith(` ${SIGNATURE}\n`);
}

function commandIn(file: string): string {
  return readFileSync(file, 'utf8').slice('#!/bin/sh\nexec '.length, -` ${SIGNATURE}\n`.length);
}

/** The distinct directories of a PATH; relative ones depend on the working directory and are left out. */
export function pathDirectories(path: string): readonly string[] {
  return [
    ...new Set(
      path
        .split(delimiter)
        .filter((part) => part.startsWith('/'))
        .map((part) => resolve(part)),
    ),
  ];
}

/** Where programs of this person go: the first directory of the PATH below the home that can be written to. */
export function homeDirectory(path: string, home: string): string {
  const own = pathDirectories(path).find(
    (directory) => directory.startsWith(`${home}/`) && isWritable(directory),
  );
  return own ?? join(home, '.local', 'bin');
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return statSync(directory).isDirectory();
  } catch {
    return false;
  }
}

/** Makes the directory if it is not there. */
export function ensureDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw new CommandFailure(`${directory} cannot be made: ${(error as Error).message}`, 1);
  }
}
