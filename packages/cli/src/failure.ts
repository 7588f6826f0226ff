/**
 * Codes that callers handle: `unreachable` may pass, `unauthenticated` may mean that the gateway restarted with a new
 * token, and `not-found` that a session is gone.
 */
export type FailureCode = 'unreachable' | 'unauthenticated' | 'not-found';

/** Ends the command with a sentence on stderr and an exit code. */
export class CommandFailure extends Error {
  readonly exitCode: number;
  readonly code: FailureCode | undefined;

  constructor(message: string, exitCode = 2, code?: FailureCode) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
    this.code = code;
  }
}
