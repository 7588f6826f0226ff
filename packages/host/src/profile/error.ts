/** A profile that cannot be used. Each problem names its place and says what to do. */
export class ProfileError extends Error {
  readonly code = 'profile';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ProfileError';
    this.problems = problems;
  }
}
