import { reasonOf } from '@plugboard/protocol';

/** Error codes of the system, in words that can follow a colon. */
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

/** Whether `error` comes from a failed system call. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { readonly dest?: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** The reason of `error` in words that can follow a colon, without the text of the system. */
export function reasonFor(error: unknown): string {
  if (!isSystemError(error)) return reasonOf(error);
  const { code = '' } = error;
  return REASONS[code] ?? `the system says ${code}`;
}

/** A sentence with the path and the reason of a failed system call. */
export function systemProblem(error: NodeJS.ErrnoException & { readonly dest?: string }): string {
  const { path, dest } = error;
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT' || error.code === 'EROFS';
  const subject = (isFull ? dest : undefined) ?? path;
  return `${subject ?? 'Something'} cannot be used: ${reasonFor(error)}`;
}
