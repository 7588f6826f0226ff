/**
 * What keys look like, wherever they stand: in a sentence, in an address, in an error of a library. What stands before a key is the first group. Each begins
 * with letters of its own: a lookbehind would walk back over the same white space from every character.
 */
const SHAPES = [
  /()(\bpb_[\w-]{20,})/g,
  /()(\b(?:sk|rk|pk)-[\w-]{16,})/g,
  /()(\bgh[pousr]_\w{20,})/g,
  /()(\bxox[abprs]-[\w-]{10,})/g,
  /()(\b\d{8,10}:[\w-]{35}\b)/g,
  /(\bbearer\s+)([^\s"'\\]+)/gi,
  /(:\/\/[^/\s:@]+:)([^/\s@]+)(?=@)/g,
  /([?&#](?:token|key|code|secret|password)=)([^&\s"']+)/gi,
];

/** Without one of these there is nothing to replace: one look instead of nine. */
const SUSPECT =
  /pb_|[srp]k-|gh[pousr]_|xox|\d:[\w-]{35}|bearer|:\/\/|token|key|code=|secret|password|authorization/i;

/** The values of JSON fields that are named after secrets: one text, or a list of them. */
const FIELDS =
  /("(?:api_?keys?|access_?tokens?|tokens?|secrets?|passwords?|authorization)"\s*:\s*)("(?:[^"\\]|\\.)*"|\[[^[\]{}]*\])/gi;

const TEXT = /"(?:[^"\\]|\\.)*"/g;

/** What stands in the place of a secret. */
const HIDDEN = '[secret]';

/** Replaces everything that looks like a key, for logs. */
export function redactKeys(text: string): string {
  return SHAPES.reduce((clean, shape) => clean.replace(shape, `$1${HIDDEN}`), text);
}

/**
 * Replaces keys, and the texts of JSON fields that are named after secrets, for recordings. What was JSON stays JSON, and as long as it was: a
 * replay waits until the host has written as many bytes as the recorded one.
 */
export function redactFrames(text: string): string {
  if (!SUSPECT.test(text)) return text;
  const named = text.replace(
    FIELDS,
    (_all, name: string, value: string) =>
      `${name}${value.replace(TEXT, (quoted) => `"${hideAll(quoted.slice(1, -1))}"`)}`,
  );
  return SHAPES.reduce(
    (clean, shape) => clean.replace(shape, (_all, before: string, key: string) => `${before}${hideAll(key)}`),
    named,
  );
}

/** As many bytes as the secret has; one that is shorter than the word is stars alone. */
function hideAll(secret: string): string {
  const bytes = bytesOf(secret);
  return bytes < HIDDEN.length ? '*'.repeat(bytes) : HIDDEN.padEnd(bytes, '*');
}

function bytesOf(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
