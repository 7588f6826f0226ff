import { readFileSync } from 'node:fs';
import { errorCode, NibError } from '../failure.ts';

/** The text of a file, or undefined when there is none; any other trouble is told with the file's name. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw unreadable(file, error);
  }
}

/** The bytes of a file, or undefined when there is none. */
export function readBytesIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): NibError {
  const code = errorCode(error);
  if (code === 'EISDIR') return new NibError(`${file} is a directory, and a file is needed there.`);
  if (code === 'EACCES') return new NibError(`${file} cannot be read: you have no permission to.`);
  return new NibError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
}
