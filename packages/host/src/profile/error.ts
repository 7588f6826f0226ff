/** A profile that cannot be used. Each entry of `problems` names its place and the remedy. */
export class ProfileError extends Error {
  readonly code = 'profile';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ProfileError';
    this.problems = problems;
  }
}
