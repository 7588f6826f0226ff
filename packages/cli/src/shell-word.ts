/** Quotes a word for a shell if necessary. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./{}-]+$/.test(word) ? word : quoteSingly(word);
}

/** Quotes a word in single quotes, in which a shell expands no variables or patterns. */
export function quoteSingly(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
