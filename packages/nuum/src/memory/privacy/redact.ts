const FORGOTTEN = '[forgotten]';

/** Finds and replaces a text, ignoring case, also in its form within JSON. */
export interface Redaction {
  found(text: string): boolean;
  applied(text: string): string;
}

export function redactionOf(words: string): Redaction {
  const forms = new Set([words, JSON.stringify(words).slice(1, -1)]);
  const source = [...forms].map((form) => RegExp.escape(form)).join('|');
  const pattern = new RegExp(source, 'giu');
  return {
    found: (text) => text.search(pattern) >= 0,
    applied: (text) => text.replaceAll(pattern, FORGOTTEN),
  };
}
