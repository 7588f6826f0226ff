/** Something a person can put right; the message says what happened, to what, and what to do. */
export class NibError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'NibError';
    this.exitCode = exitCode;
  }
}

/** The system's code of a failed file operation, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What keeps a file from being changed, by the system's code. */
const OBSTACLES: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission to change it',
  EPERM: 'you have no permission to change it',
  EROFS: 'its file system can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'you have used up your part of the disk',
};

/** An error in words for a person; those of the system's own that can be put right are told as such. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const obstacle = OBSTACLES[errorCode(error) ?? ''];
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  if (obstacle === undefined || path === undefined) return error.message;
  return `${path} cannot be written: ${obstacle}.`;
}
