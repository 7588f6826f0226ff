/** Values this short tell nothing, and taking them out would make a sentence unreadable. */
const TELLING = 4;

/** A sentence in which the value of a variable that found its way there is what refers to it again. */
export function scrub(sentence: string, used: ReadonlyMap<string, string>): string {
  // The longest first: one value may be a part of another.
  const values = [...used]
    .filter(([value]) => value.length >= TELLING)
    .sort(([a], [b]) => b.length - a.length);
  return values.reduce((text, [value, reference]) => {
    const quoted = JSON.stringify(value).slice(1, -1);
    return text.replaceAll(value, () => reference).replaceAll(quoted, () => reference);
  }, sentence);
}
