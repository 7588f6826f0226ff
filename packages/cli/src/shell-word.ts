/** A word as it is typed into a shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./{}-]+$/.test(word) ? word : singleQuoted(word);
}

/** A word in which no shell finds anything but itself. */
export function singleQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
