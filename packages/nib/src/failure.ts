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
