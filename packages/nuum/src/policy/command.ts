/** A command line taken apart into the commands it runs. */
export interface Parts {
  readonly parts: readonly string[];
  /** False when something is in it that only a shell can tell the meaning of. */
  readonly certain: boolean;
}

/** Between two commands. The longer ones come first. */
const OPERATORS = ['&&', '||', '|&', ';', '|', '&', '\n'];

/** Redirections that write nothing anybody keeps. */
const HARMLESS_REDIRECTION = /(?:\d?>&\d|&?\d?>{1,2}\s*\/dev\/null|\d?<\s*\/dev\/null)(?=[\s;|&]|$)/y;

/** Words that make the rest of a line something else than a list of commands. */
const COMPOUND =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|coproc|in|time|!|\}|\[\[)(?:\s|$)|^\{/;

/**
 * Splits at `&&`, `||`, `;`, `|`, `&` and line ends outside quotes. It is no shell: whatever could hide a command from
 * it (substitutions, groups, here-documents, comments, redirections into files, quotes that do not close) makes the
 * outcome uncertain instead of being guessed at.
 */
export function splitCommand(line: string): Parts {
  const parts: string[] = [];
  let part = '';
  let certain = true;
  for (let at = 0; at < line.length; ) {
    const rest = line.slice(at, at + 64);
    const taken = quoted(line, at) ?? redirectionAt(line, at);
    const operator = OPERATORS.find((text) => rest.startsWith(text));
    if (taken !== undefined) part += taken;
    else if (operator !== undefined) {
      parts.push(part);
      part = '';
    }
    certain &&= !isUnclear(taken, rest, part);
    const plain = line[at] ?? '';
    if (taken === undefined && operator === undefined) part += plain;
    at += (taken ?? operator ?? plain).length;
  }
  parts.push(part);
  const commands = parts.map(tidy).filter((text) => text !== '');
  return { parts: commands, certain: certain && !commands.some((text) => COMPOUND.test(text)) };
}

function redirectionAt(line: string, at: number): string | undefined {
  HARMLESS_REDIRECTION.lastIndex = at;
  return HARMLESS_REDIRECTION.exec(line)?.[0];
}

/** A quoted stretch or an escaped character that begins here, as it is written. */
function quoted(line: string, at: number): string | undefined {
  const char = line[at];
  if (char === '\\') return line.slice(at, at + 2);
  if (char !== "'" && char !== '"') return undefined;
  let end = at + 1;
  while (end < line.length && line[end] !== char) end += char === '"' && line[end] === '\\' ? 2 : 1;
  return line.slice(at, end + 1);
}

function isUnclear(taken: string | undefined, rest: string, part: string): boolean {
  if (taken === undefined)
    return /^(?:[`()<>]|\$[('"{]|[\x00-\x08\x0b-\x1f])/.test(rest) || isComment(rest, part);
  if (taken.startsWith('"')) return !/^"(?:[^"\\]|\\[\s\S])*"$/.test(taken) || /`|\$[({]/.test(taken);
  return taken.startsWith("'") ? taken.length < 2 || !taken.endsWith("'") : taken === '\\';
}

function isComment(rest: string, part: string): boolean {
  return rest.startsWith('#') && (part === '' || /\s$/.test(part));
}

function tidy(text: string): string {
  return text
    .replace(/\\\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim();
}

/** Programs that run the program named after them. */
const RUNNERS: ReadonlySet<string> = new Set(
  'sudo doas env command exec builtin nohup nice time timeout xargs setsid stdbuf eval sh bash dash zsh find watch then do else if while until ! {'.split(
    ' ',
  ),
);

const MOST_WORDS = 64;

/**
 * Everything in a command line that may be a command, rather too much than too little: what a rule that asks or
 * refuses is held against. A shell has more ways to say a thing than can be listed, so such a rule is a fence and no wall.
 */
export function suspects(line: string): readonly string[] {
  const { parts, certain } = splitCommand(line);
  const loose = certain ? [] : line.split(/[;|&\n`(){},'"]+/).map(tidy);
  const whole = [...parts, ...loose].filter((text) => text !== '');
  return [...new Set(whole.flatMap((text) => [text, ...readings(text)]))];
}

/** Other ways to see one command: without quotes, assignments and the directory of the program, or run by another. */
function readings(text: string): string[] {
  const plain = tidy(text.replace(/['"\\]/g, ''));
  const words = plain.split(' ');
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (start < 0) return [plain];
  const isRunner = RUNNERS.has(nameOf(words[start] ?? ''));
  const last = isRunner ? Math.min(words.length, start + MOST_WORDS) : start + 1;
  const seen = [plain];
  for (let from = start; from < last; from += 1) {
    seen.push([nameOf(words[from] ?? ''), ...words.slice(from + 1)].join(' '));
  }
  return seen;
}

function nameOf(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
