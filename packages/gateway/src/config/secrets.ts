import { type FileHandle, open } from 'node:fs/promises';
import { type Path, pathKey } from './path.ts';
import { isRecord, problemAt } from './reader.ts';
import { absolutePath, type Reading, shownPath } from './reading.ts';
import { isReference } from './references.ts';
import { SECRET_WANTED, Secret, UnreadSecret } from './secret.ts';

/** Longer than any key or token. */
const SECRET_BYTES = 64 * 1024;

/** Puts every secret in the place of its reference; those that cannot be had are problems. */
export async function readSecrets<T>(reading: Reading, value: T, problems: string[]): Promise<T> {
  return (await read(value, [])) as T;

  async function read(at: unknown, path: Path): Promise<unknown> {
    if (at instanceof UnreadSecret) return follow(reading, at, path, problems);
    if (Array.isArray(at)) return Promise.all(at.map((item, index) => read(item, [...path, index])));
    if (!isRecord(at) || at instanceof Secret) return at;
    const entries = Object.entries(at).map(async ([key, item]) => [key, await read(item, [...path, key])]);
    return Object.fromEntries(await Promise.all(entries));
  }
}

async function follow(
  reading: Reading,
  secret: UnreadSecret,
  path: Path,
  problems: string[],
): Promise<Secret> {
  const found =
    secret.file === undefined ? inPlace(reading, secret, path) : await inFile(reading, secret.file);
  if (found instanceof Secret) return found;
  problems.push(problemAt({ source: reading.source, value: undefined, base: [] }, path, found));
  return secret;
}

/** Only a reference alone: text around one would be a part of the secret for everyone to read. */
function inPlace({ filled }: Reading, secret: UnreadSecret, path: Path): Secret | string {
  if (!isReference(filled.written.get(pathKey(path)) ?? '')) return SECRET_WANTED;
  return secret.reveal() === '' ? 'The variable is empty.' : new Secret(secret.reveal());
}

async function inFile(reading: Reading, path: string): Promise<Secret | string> {
  const file = absolutePath(reading, path);
  const shown = shownPath(reading, path);
  reading.files.add(file);
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    return await readPrivately(handle, shown);
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return missing ? `There is no file ${shown}.` : `The file ${shown} cannot be read.`;
  } finally {
    await handle?.close();
  }
}

/** The opened file is looked at, not its name: nobody can put another there in between. */
async function readPrivately(handle: FileHandle, shown: string): Promise<Secret | string> {
  const { mode, size } = await handle.stat();
  // Windows has no such bits: every file would look open to all.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    return `Others can read the file ${shown}: run chmod 600 ${shown}`;
  }
  if (size > SECRET_BYTES) return `The file ${shown} is too long for a secret.`;
  const text = (await handle.readFile('utf8')).trim();
  return text === '' ? `The file ${shown} is empty.` : new Secret(text);
}
