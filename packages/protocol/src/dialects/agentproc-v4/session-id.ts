/** The protocol sets no limit. This limit keeps agents from storing data in session ids. */
const ID_CHARS = 4096;

/** Why `id` cannot be a session id, or undefined. Agents use ids as file names, so it must be a safe one. */
export function sessionProblem(id: string): string | undefined {
  if (id.length > ID_CHARS) return `A session id must not be longer than ${ID_CHARS} characters.`;
  if (id === '' || id === '.' || id === '..' || /[/\\\p{Cc}]/u.test(id)) {
    return 'A session id must be a file name: no slashes, no control characters, not `.` or `..`.';
  }
  return undefined;
}
