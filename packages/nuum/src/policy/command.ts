export interface Parts {
  readonly parts: readonly string[];
  /** False when only a shell can tell which commands the line runs. */
  readonly certain: boolean;
}

/** Separators of commands. Longer ones first, since the first that fits is taken. */
const OPERATORS = ['&&', '||', '|&', ';', '|', '&', '\n'];

/** Redirections that write no file: to `/dev/null`, between descriptors, and from `/dev/null`. */
const HARMLESS_REDIRECTION = /(?:\d?>&\d|&?\d?>{1,2}\s*\/dev\/null|\d?<\s*\/dev\/null)(?=[\s;|&]|$)/y;

/** Shell keywords: the words after them are not a simple command. */
const COMPOUND =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|select|function|coproc|in|time|!|\}|\[\[)(?:\s|$)|^\{/;

/**
 * Splits at `&&`, `||`, `;`, `|`, `&` and line ends outside quotes. This is no shell: constructs that could hide a
 * command (substitutions, groups, here-documents, comments, redirections into files, unclosed quotes) set `certain` to
 * false.
 */
export function splitCommand(line: string): Parts {
  const parts: string[] = [];
  let part = '';
  let certain = true;
  for (let at = 0; at < line.length; ) {
    const rest = line.slice(at, at + 64);
    const taken = quotedAt(line, at) ?? redirectionAt(line, at);
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
  const commands = parts.map(collapseSpaces).filter((text) => text !== '');
  return { parts: commands, certain: certain && !commands.some((text) => COMPOUND.test(text)) };
}

function redirectionAt(line: string, at: number): string | undefined {
  HARMLESS_REDIRECTION.lastIndex = at;
  return HARMLESS_REDIRECTION.exec(line)?.[0];
}

/** The quoted text or escaped character at `at`, with its quotes. Undefined for other text. */
function quotedAt(line: string, at: number): string | undefined {
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

function collapseSpaces(text: string): string {
  return text
    .replace(/\\\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim();
}

/** Programs that run the program named by their arguments. */
const RUNNERS: ReadonlySet<string> = new Set(
  'sudo doas env command exec builtin nohup nice time timeout xargs setsid stdbuf eval sh bash dash zsh find watch then do else if while until ! {'.split(
    ' ',
  ),
);

const MOST_WORDS = 64;

/** A redirection with its file, which a shell takes before, behind and within the words of a command. */
const REDIRECTION = /\d{0,3}(?:&>{1,2}|[<>]{1,3}[&|]?)[ \t]*[^\s<>&|;]*/g;

/**
 * Every text of a command line that may be a command, for rules that ask or deny: rather too many than too few. A shell
 * can write a command in more ways than can be listed, so that such a rule hinders accidents and does not confine an
 * attacker.
 */
export function possibleCommands(line: string): readonly string[] {
  const { parts, certain } = splitCommand(line);
  const loose = certain ? [] : line.split(/[;|&\n`(){},'"]+/).map(collapseSpaces);
  const whole = [...parts, ...loose].filter((text) => text !== '');
  return [...new Set(whole.flatMap((text) => [text, ...variantsOf(text)]))];
}

/**
 * Variants of one command: without quotes, redirections, assignments and the directory of the program, and the command that
 * it runs.
 */
function variantsOf(text: string): string[] {
  const unquoted = text.replace(/['"\\]/g, '').replace(/\$(?:IFS\b|\{IFS\})/g, ' ');
  const plain = collapseSpaces(unquoted);
  const bare = collapseSpaces(unquoted.replace(REDIRECTION, ' '));
  return bare === plain || bare === ''
    ? runVariantsOf(plain)
    : [...runVariantsOf(plain), ...runVariantsOf(bare)];
}

/** A command without assignments, and each command that one of its words runs. */
function runVariantsOf(plain: string): string[] {
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
