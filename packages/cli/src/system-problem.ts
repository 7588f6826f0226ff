import { reasonOf } from '@plugboard/protocol';
import { preparedIn } from './gateway/staging.ts';

/** What the codes of the system mean, as the second half of a sentence. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not do that',
  EPERM: 'this user may not do that',
  EROFS: 'the disk cannot be written to',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full, or this user has no more of it',
  EIO: 'the disk has an error',
  ENOENT: 'it is not there',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it is there already',
  ENOTEMPTY: 'it is there already, and not empty',
  ELOOP: 'links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** Whether the system has refused something. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { readonly dest?: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** Why something did not work, as the second half of a sentence, without the words of the system. */
export function reasonFor(error: unknown): string {
  if (!isSystemError(error)) return reasonOf(error);
  const { code = '' } = error;
  return REASONS[code] ?? `the system says ${code}`;
}

/** What cannot be had, and why. A file that was being prepared is known by the folder in which it was. */
export function systemProblem(error: NodeJS.ErrnoException & { readonly dest?: string }): string {
  const { path, dest } = error;
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT' || error.code === 'EROFS';
  const subject = (isFull ? dest : undefined) ?? path;
  const what = subject === undefined ? 'Something' : preparedIn(subject);
  return `${what} cannot be used: ${reasonFor(error)}`;
}
