/** The protocol knows no limit; this one keeps ids from being a place to store things in. */
const ID_CHARS = 4096;

/** Why an id cannot be a session id, or undefined when it can: it must also be safe as the name of a file. */
export function sessionProblem(id: string): string | undefined {
  if (id.length > ID_CHARS) return `A session id must not be longer than ${ID_CHARS} characters.`;
  if (id === '' || id === '.' || id === '..' || /[/\\\p{Cc}]/u.test(id)) {
    return 'A session id must be a file name: no slashes, no control characters, not `.` or `..`.';
  }
  return undefined;
}
