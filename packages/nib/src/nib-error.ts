/** An error that a person can correct. `message` names the cause, the object and the remedy. */
export class NibError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'NibError';
    this.exitCode = exitCode;
  }
}

/** The system's code of a failed file operation, such as ENOENT. */
export function getErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Reasons why a file cannot be written, by the system's code. */
const OBSTACLES: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission to change it',
  EPERM: 'you have no permission to change it',
  EROFS: 'its file system can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'you have used up your part of the disk',
};

/** The message of an error for a person; a code in `OBSTACLES` becomes a sentence about the file. */
export function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const obstacle = OBSTACLES[getErrorCode(error) ?? ''];
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  if (obstacle === undefined || path === undefined) return error.message;
  return `${path} cannot be written: ${obstacle}.`;
}
