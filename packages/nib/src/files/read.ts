import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { reasonOf } from '@plugboard/protocol';
import { errorCode, NibError } from '../failure.ts';
import { decodeUtf8 } from './encoding.ts';

/** The text of a UTF-8 file, or undefined when there is none; any other trouble is told with the file's name. */
export function readIfThere(file: string): string | undefined {
  const bytes = readBytesIfThere(file);
  return bytes === undefined ? undefined : decodeUtf8(bytes, file);
}

/** The bytes of a file, or undefined when there is none. */
export function readBytesIfThere(file: string): Buffer | undefined {
  try {
    // To read a pipe would wait for whoever writes to it.
    const stat = statSync(file);
    if (!stat.isFile() && !stat.isDirectory())
      throw new NibError(`${file} is a pipe or a device, and a file is needed there.`);
    return readFileSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw unreadable(file, error);
  }
}

/** What stands at a path, or undefined when nothing does, not even the directories that lead to it. */
export function lstatIfThere(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined;
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): NibError {
  if (error instanceof NibError) return error;
  const code = errorCode(error);
  if (code === 'EISDIR') return new NibError(`${file} is a directory, and a file is needed there.`);
  if (code === 'EACCES') return new NibError(`${file} cannot be read: you have no permission to.`);
  return new NibError(`${file} cannot be read: ${reasonOf(error)}`);
}
