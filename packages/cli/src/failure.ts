/** Ends the command with a sentence on stderr and an exit code. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}
