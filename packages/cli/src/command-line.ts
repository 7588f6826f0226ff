/** `own` is the part before `--`, `agentCommand` the part after it. */
export interface CommandLine {
  readonly own: readonly string[];
  readonly agentCommand: readonly string[];
}

/** Where an action leaves the exit code it has earned. */
export interface Outcome {
  exitCode: number;
}

export function splitCommandLine(argv: readonly string[]): CommandLine {
  const at = argv.indexOf('--');
  return at === -1
    ? { own: argv, agentCommand: [] }
    : { own: argv.slice(0, at), agentCommand: argv.slice(at + 1) };
}
