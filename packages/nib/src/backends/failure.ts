/** Why a request cannot be answered, in a sentence for the author that says what to do. */
export class BackendError extends Error {
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'BackendError';
    this.code = code;
  }
}

/** The code of a failed system call, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
