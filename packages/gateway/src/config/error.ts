/** An invalid configuration. `problems` lists all errors with place and remedy. */
export class ConfigError extends Error {
  readonly code = 'config';
  readonly problems: readonly string[];
  /** All files that were read: a change of any of them may fix the problem. */
  readonly files: readonly string[];

  constructor(problems: readonly string[], files: readonly string[] = []) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
    this.files = files;
  }
}
