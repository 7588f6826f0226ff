/** A block of code between two fences, and what repairs it where it is cut. Positions are those of the whole text. */
export interface Fence {
  /** Where the line of the opening fence begins. */
  readonly start: number;
  /** Where the code begins. */
  readonly code: number;
  /** Where the code ends: at the line of the closing fence, or with the text. */
  readonly codeEnd: number;
  /** Behind the line of the closing fence. */
  readonly end: number;
  /** Opens it again, with its info string. */
  readonly open: string;
  readonly close: string;
}

interface Opener {
  readonly indent: string;
  readonly marks: string;
  readonly info: string;
}

/** The blocks of code of a text, in order. Indentation is allowed, for they stand in lists. */
export function fencesOf(text: string): Fence[] {
  const fences: Fence[] = [];
  let opener: (Opener & Pick<Fence, 'start' | 'code'>) | undefined;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const next = found === -1 ? text.length : found + 1;
    if (opener === undefined) {
      const read = readOpener(text, start, next);
      if (read !== undefined) opener = { ...read, start, code: next };
    } else if (closes(opener, text, start, next)) {
      fences.push(fenceOf(opener, start, next));
      opener = undefined;
    }
    start = next;
  }
  if (opener !== undefined) fences.push(fenceOf(opener, text.length, text.length));
  return fences;
}

function fenceOf(
  { indent, marks, info, start, code }: Opener & Pick<Fence, 'start' | 'code'>,
  codeEnd: number,
  end: number,
): Fence {
  return { start, code, codeEnd, end, open: `${indent}${marks}${info}\n`, close: `\n${indent}${marks}` };
}

function readOpener(text: string, start: number, end: number): Opener | undefined {
  if (!mayBeFence(text, start, end)) return undefined;
  const match = /^([ \t]*)(`{3,}|~{3,})(.*)$/s.exec(text.slice(start, end).trimEnd());
  const [, indent = '', marks = '', info = ''] = match ?? [];
  // ```code``` in one line is no block.
  return match === null || (marks.startsWith('`') && info.includes('`'))
    ? undefined
    : { indent, marks, info };
}

function closes({ marks }: Opener, text: string, start: number, end: number): boolean {
  if (!mayBeFence(text, start, end)) return false;
  const line = text.slice(start, end).trim();
  return line.length >= marks.length && line === (marks[0] ?? '').repeat(line.length);
}

/** Most lines are none, and need not be copied to see that. */
function mayBeFence(text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && (text[at] === ' ' || text[at] === '\t')) at += 1;
  return text[at] === '`' || text[at] === '~';
}

/** The fence that a position is within: behind the beginning of its first line, and before the end of its last. */
export function fenceAround(fences: readonly Fence[], index: number): Fence | undefined {
  let low = 0;
  let high = fences.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((fences[middle]?.start ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  const fence = fences[low - 1];
  return fence !== undefined && (index < fence.end || fence.codeEnd === fence.end) ? fence : undefined;
}

/** The fence whose code a text that is cut here would leave open. */
export function openAt(fences: readonly Fence[], index: number): Fence | undefined {
  const fence = fenceAround(fences, index);
  return fence !== undefined && index >= fence.code && index <= fence.codeEnd ? fence : undefined;
}
