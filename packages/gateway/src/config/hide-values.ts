/** Shorter values reveal little, and replacing them makes a sentence unreadable. */
const TELLING = 4;

/** Replaces values of variables in an error message by their references. */
export function hideValues(sentence: string, used: ReadonlyMap<string, string>): string {
  // Longest first: one value may contain another.
  const values = [...used]
    .filter(([value]) => value.length >= TELLING)
    .sort(([a], [b]) => b.length - a.length);
  return values.reduce((text, [value, reference]) => {
    const quoted = JSON.stringify(value).slice(1, -1);
    return text.replaceAll(value, () => reference).replaceAll(quoted, () => reference);
  }, sentence);
}
