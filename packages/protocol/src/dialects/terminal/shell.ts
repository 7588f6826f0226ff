/**
 * The constructs that are open at a point of a shell command, by opening mark. `(` holds commands, like the top level.
 */
type Opened = '(' | "'" | '"' | '`' | '${' | '((' | '#';

/** How far a command was read. */
interface Scan {
  readonly text: string;
  readonly placeholder: string;
  at: number;
  /** The innermost comes last. */
  readonly open: Opened[];
  /** The next character begins a word. */
  wordStart: boolean;
  /** Depth of `open` where an `eval` or `trap` began, which parses its arguments as commands again. */
  rereading: number | undefined;
  /** Why the scan is unreliable from here on: the problem to report for a later placeholder. */
  doubt: string | undefined;
}

const INSIDE_QUOTES =
  '{message} stands inside quotes, where no quoting is safe: remove the quotes around it.';
const INSIDE: Readonly<Record<Opened, string | undefined>> = {
  '(': undefined,
  "'": INSIDE_QUOTES,
  '"': INSIDE_QUOTES,
  '`': '{message} stands inside backquotes, where no quoting is safe: write $(…) instead of them.',
  '${': '{message} stands inside ${…}, where no quoting is safe: put it outside.',
  '((': '{message} stands inside arithmetic, where the shell works out what a text says: put it outside.',
  '#': '{message} stands in a comment, out of which a second line of text would lead: remove it.',
};
const ESCAPED =
  '{message} stands right after a backslash, which breaks its quoting: remove the backslash in front of it.';
const DOLLAR =
  '{message} stands right after a dollar sign, which changes its quoting: remove the sign in front of it.';
const DOCUMENT =
  'The command has a here-document (<<), where no quoting is safe: let the agent read the text from stdin instead of {message}.';
const REREAD = '{message} is an argument of `eval` or `trap`, which runs it as a command: remove that word.';

/** Constructs that shells treat differently, or that need a complete parser. */
const DOUBTS = {
  dollarQuote: "{message} follows $'…', which not every shell knows: write '…' without the dollar sign.",
  bracket: '{message} follows $[…], which not every shell knows: write $((…)) instead.',
  expansion: '{message} follows quotes inside ${…}, on which shells do not agree: remove them there.',
  nestedCase: '{message} follows a `case` inside brackets, which hides where they end: put it outside.',
  continued: '{message} follows a mark that a line end cuts in two: write it on one line.',
  comment: '{message} follows a # right after a bracket, which may begin a comment: put a space in between.',
} as const;

/**
 * Why a single-quoted word cannot safely replace `placeholder` in a shell command, or undefined when it can. A command
 * that the scan cannot follow is refused.
 */
export function quotingProblem(text: string, placeholder: string): string | undefined {
  const scan: Scan = {
    text,
    placeholder,
    at: 0,
    open: [],
    wordStart: true,
    rereading: undefined,
    doubt: undefined,
  };
  while (scan.at < text.length) {
    const problem = isNext(scan, placeholder) ? passPlaceholder(scan) : passNext(scan);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isNext({ text, at }: Scan, what: string, ahead = 0): boolean {
  return text.startsWith(what, at + ahead);
}

function pass(scan: Scan, length: number, wordStart = false): undefined {
  scan.at += length;
  scan.wordStart = wordStart;
}

function enter(scan: Scan, mark: Opened, length: number): undefined {
  scan.open.push(mark);
  pass(scan, length, mark === '(');
}

function leave(scan: Scan, wordStart = false): undefined {
  scan.open.pop();
  pass(scan, 1, wordStart);
}

function passPlaceholder(scan: Scan): string | undefined {
  const place = scan.open.find((mark) => INSIDE[mark] !== undefined);
  if (place !== undefined) return INSIDE[place];
  if (scan.doubt !== undefined) return scan.doubt;
  return scan.rereading === undefined ? pass(scan, scan.placeholder.length) : REREAD;
}

function passNext(scan: Scan): string | undefined {
  const char = scan.text[scan.at] ?? '';
  switch (scan.open.at(-1)) {
    case "'":
      return char === "'" ? leave(scan) : pass(scan, 1);
    case '#':
      return char === '\n' ? leave(scan, true) : pass(scan, 1);
    case '`':
      if (char === '\\') return passEscape(scan);
      return char === '`' ? leave(scan) : pass(scan, 1);
    case '"':
      return passQuoted(scan, char);
    case '${':
      return passExpansion(scan, char);
    default:
      return passCommands(scan, char);
  }
}

function passEscape(scan: Scan): string | undefined {
  if (isNext(scan, scan.placeholder, 1)) return ESCAPED;
  if (!isNext(scan, '\n', 1)) return pass(scan, 2);
  // A backslash before a line end joins two lines, so `wordStart` is kept.
  if ('$<('.includes(scan.text[scan.at - 1] ?? ' ')) scan.doubt ??= DOUBTS.continued;
  return pass(scan, 2, scan.wordStart);
}

function passQuoted(scan: Scan, char: string): string | undefined {
  if (char === '\\') return passEscape(scan);
  if (char === '"') return leave(scan);
  if (char === '`') return enter(scan, '`', 1);
  return char === '$' ? passDollar(scan) : pass(scan, 1);
}

function passExpansion(scan: Scan, char: string): string | undefined {
  if (char === '}') return leave(scan);
  if (char === '$') return passDollar(scan);
  if ('\\\'"`'.includes(char)) scan.doubt ??= DOUBTS.expansion;
  return pass(scan, 1);
}

function passDollar(scan: Scan): string | undefined {
  if (isNext(scan, scan.placeholder, 1)) return DOLLAR;
  if (isNext(scan, '((', 1)) return enterArithmetic(scan, 3);
  if (isNext(scan, '(', 1)) return enter(scan, '(', 2);
  if (isNext(scan, '{', 1)) return enter(scan, '${', 2);
  if (isNext(scan, '[', 1)) scan.doubt ??= DOUBTS.bracket;
  if (isNext(scan, "'", 1) && scan.open.at(-1) !== '"') scan.doubt ??= DOUBTS.dollarQuote;
  return pass(scan, 1);
}

/** Pushes `((` twice, because each closing bracket pops one entry. */
function enterArithmetic(scan: Scan, length: number): undefined {
  scan.open.push('((');
  return enter(scan, '((', length);
}

function passCommands(scan: Scan, char: string): string | undefined {
  switch (char) {
    case '\\':
      return passEscape(scan);
    case "'":
    case '"':
    case '`':
      return enter(scan, char, 1);
    case '$':
      return passDollar(scan);
    case '(':
      if (isNext(scan, '((')) return enterArithmetic(scan, 2);
      return enter(scan, scan.open.at(-1) ?? '(', 1);
    case ')':
      return leave(scan, true);
    case '<':
      return isNext(scan, '<<') ? DOCUMENT : pass(scan, 1, true);
    case '#':
      return passHash(scan);
    default:
      return passLetter(scan, char);
  }
}

function passHash(scan: Scan): undefined {
  if (!scan.wordStart) return pass(scan, 1);
  if (scan.text[scan.at - 1] === ')') scan.doubt ??= DOUBTS.comment;
  enter(scan, '#', 1);
}

/**
 * The text that may precede the name of a command: the end of another command, a shell keyword, or variable
 * assignments.
 */
const COMMAND_START =
  /(?:^|[;&|\n(){}!]|\b(?:then|do|else|elif|if|while|until|command|builtin|exec|time))\s*(?:\w+=\S*\s+)*$/;

/**
 * Characters before a word that `COMMAND_START` is matched against. A longer run of assignments counts as the start of
 * a command.
 */
const LOOK_BACK = 200;

function passLetter(scan: Scan, char: string): undefined {
  if (scan.wordStart) noteWord(scan);
  const { open, rereading } = scan;
  if (rereading !== undefined && open.length <= rereading && ';&|\n'.includes(char))
    scan.rereading = undefined;
  pass(scan, 1, /[\s;&|>]/.test(char));
}

function noteWord(scan: Scan): void {
  const { text, at, open } = scan;
  const word = text.slice(at, at + 5);
  if (open.length > 0 && /^case\s/.test(word)) scan.doubt ??= DOUBTS.nestedCase;
  if (scan.rereading !== undefined || !/^(?:eval|trap)(?![\w-])/.test(word)) return;
  if (COMMAND_START.test(text.slice(Math.max(0, at - LOOK_BACK), at))) scan.rereading = open.length;
}
