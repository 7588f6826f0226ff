/**
 * Patterns of keys and tokens. Group 1 is the text in front of the key, which is kept. Each pattern begins with literal
 * letters: a lookbehind would rescan the same white space from every character.
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

/**
 * Without a match here no pattern of `SHAPES` or `FIELDS` matches, so most texts need one regex test instead of nine.
 */
const SUSPECT =
  /pb_|[srp]k-|gh[pousr]_|xox|\d:[\w-]{35}|bearer|:\/\/|token|key|code=|secret|password|authorization/i;

/** The values of JSON fields that are named after secrets: one text, or a list of them. */
const FIELDS =
  /("(?:api_?keys?|access_?tokens?|tokens?|secrets?|passwords?|authorization)"\s*:\s*)("(?:[^"\\]|\\.)*"|\[[^[\]{}]*\])/gi;

const TEXT = /"(?:[^"\\]|\\.)*"/g;

/** Replaces a secret. */
const HIDDEN = '[secret]';

/** Replaces keys and tokens in text for logs. */
export function redactKeys(text: string): string {
  return SHAPES.reduce((clean, shape) => clean.replace(shape, `$1${HIDDEN}`), text);
}

/**
 * Replaces keys, and the values of JSON fields named after secrets, for recordings. JSON stays JSON of the same byte
 * length, because a replay waits until the host has written as many bytes as were recorded.
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

/** Padded to the byte length of the secret. A secret shorter than `HIDDEN` becomes stars. */
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
