import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { reasonOf } from '@plugboard/protocol';
import { getErrorCode, NibError } from '../nib-error.ts';
import { decodeUtf8 } from './encoding.ts';

/** The text of a UTF-8 file; undefined when it does not exist. Other errors name the file. */
export function readIfThere(file: string): string | undefined {
  const bytes = readBytesIfThere(file);
  return bytes === undefined ? undefined : decodeUtf8(bytes, file);
}

/** The bytes of a file; undefined when it does not exist. */
export function readBytesIfThere(file: string): Buffer | undefined {
  try {
    // `readFileSync` of a pipe would block until a writer opens it.
    const stat = statSync(file);
    if (!stat.isFile() && !stat.isDirectory())
      throw new NibError(`${file} is a pipe or a device, and a file is needed there.`);
    return readFileSync(file);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw createReadError(file, error);
  }
}

/** The `lstat` of a path; undefined when it, or a directory above it, does not exist. */
export function lstatIfThere(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (getErrorCode(error) === 'ENOTDIR') return undefined;
    throw createReadError(file, error);
  }
}

function createReadError(file: string, error: unknown): NibError {
  if (error instanceof NibError) return error;
  const code = getErrorCode(error);
  if (code === 'EISDIR') return new NibError(`${file} is a directory, and a file is needed there.`);
  if (code === 'EACCES') return new NibError(`${file} cannot be read: you have no permission to.`);
  return new NibError(`${file} cannot be read: ${reasonOf(error)}`);
}
