/** A configuration that cannot be used: every problem with it, each with its place and what to do. */
export class ConfigError extends Error {
  readonly code = 'config';
  readonly problems: readonly string[];
  /** The files that were looked at: a change to one of them may be the cure. */
  readonly files: readonly string[];

  constructor(problems: readonly string[], files: readonly string[] = []) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
    this.files = files;
  }
}
