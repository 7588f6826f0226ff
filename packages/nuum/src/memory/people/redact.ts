/** What stands where something was forgotten. */
const FORGOTTEN = '[forgotten]';

/** Finds and blacks out a text, in whatever case, also as it is written in JSON. */
export interface Redaction {
  found(text: string): boolean;
  applied(text: string): string;
}

/** The redaction of a text. */
export function redactionOf(words: string): Redaction {
  const forms = new Set([words, JSON.stringify(words).slice(1, -1)]);
  const source = [...forms].map((form) => RegExp.escape(form)).join('|');
  const pattern = new RegExp(source, 'giu');
  return {
    found: (text) => text.search(pattern) >= 0,
    applied: (text) => text.replaceAll(pattern, FORGOTTEN),
  };
}
