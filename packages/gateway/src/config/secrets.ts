import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Path, pathKey } from './path.ts';
import { isRecord, problemAt } from './reader.ts';
import { absolutePath, type Reading, shownPath } from './reading.ts';
import { isReference } from './references.ts';
import { Secret, UnreadSecret } from './secret.ts';

/** Longer than any API key or token. */
const SECRET_BYTES = 64 * 1024;

/** Resolves each `UnreadSecret` of the value at `base`; adds failures to `problems`. */
export async function readSecrets<T>(
  reading: Reading,
  value: T,
  problems: string[],
  base: Path = [],
): Promise<T> {
  return (await read(value, base)) as T;

  async function read(at: unknown, path: Path): Promise<unknown> {
    if (at instanceof UnreadSecret) return resolveSecret(reading, at, path, problems);
    if (Array.isArray(at)) return Promise.all(at.map((item, index) => read(item, [...path, index])));
    if (!isRecord(at) || at instanceof Secret) return at;
    const entries = Object.entries(at).map(async ([key, item]) => [key, await read(item, [...path, key])]);
    return Object.fromEntries(await Promise.all(entries));
  }
}

async function resolveSecret(
  reading: Reading,
  secret: UnreadSecret,
  path: Path,
  problems: string[],
): Promise<Secret> {
  const { source } = secret;
  const found =
    source === undefined
      ? inPlace(reading, secret, path)
      : 'file' in source
        ? await inFile(reading, source.file)
        : await inCredential(reading, source.credential);
  if (found instanceof Secret) return found;
  problems.push(problemAt({ source: reading.source, value: undefined, base: [] }, path, found));
  return secret;
}

/** Accepts only a whole reference: text around it would be a part of the secret in plain sight. */
function inPlace({ filled }: Reading, secret: UnreadSecret, path: Path): Secret | string {
  const { isPublic, wanted } = secret.rule;
  const written = filled.written.get(pathKey(path));
  if (written === undefined && isPublic(secret.reveal())) return new Secret(secret.reveal());
  if (!isReference(written ?? '')) return wanted;
  return secret.reveal() === '' ? 'The variable is empty.' : new Secret(secret.reveal());
}

/** systemd puts credentials into a directory that only the service can read. */
async function inCredential(reading: Reading, name: string): Promise<Secret | string> {
  const directory = reading.options.environment.CREDENTIALS_DIRECTORY;
  if (directory === undefined || directory === '')
    return `There is no credential "${name}": the gateway was not started by systemd with LoadCredential=${name}:PATH.`;
  return inFile(reading, join(directory, name));
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

/** Checks the file handle and not the path, so that the file cannot be replaced between check and read (TOCTOU). */
async function readPrivately(handle: FileHandle, shown: string): Promise<Secret | string> {
  const { mode, size } = await handle.stat();
  // Windows reports `mode` bits that look readable for all.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    return `Others can read the file ${shown}: run chmod 600 ${shown}`;
  }
  if (size > SECRET_BYTES) return `The file ${shown} is too long for a secret.`;
  const text = (await handle.readFile('utf8')).trim();
  return text === '' ? `The file ${shown} is empty.` : new Secret(text);
}
