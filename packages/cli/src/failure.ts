/** What a caller can do something about: a gateway that is away may come back, one that does not know us may be another. */
export type FailureCode = 'unreachable' | 'unauthenticated';

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
