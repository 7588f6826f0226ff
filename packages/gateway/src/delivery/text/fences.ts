/** A fenced code block, and the lines that repair it at a split. Positions refer to the whole text. */
export interface Fence {
  /** Start of the line of the opening fence. */
  readonly start: number;
  /** Start of the code. */
  readonly code: number;
  /** End of the code: the line of the closing fence, or the end of the text. */
  readonly codeEnd: number;
  /** End of the line of the closing fence. */
  readonly end: number;
  /** Opening fence with its info string. */
  readonly open: string;
  readonly close: string;
}

interface Opener {
  readonly indent: string;
  readonly marks: string;
  readonly info: string;
}

/** Code blocks of a text, in order. Indented fences count, since they occur in lists. */
export function fencesOf(text: string): Fence[] {
  const fences: Fence[] = [];
  let opener: (Opener & Pick<Fence, 'start' | 'code'>) | undefined;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const next = found === -1 ? text.length : found + 1;
    if (opener === undefined) {
      const read = readOpener(text, start, next);
      if (read !== undefined) opener = { ...read, start, code: next };
    } else if (isClosing(opener, text, start, next)) {
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
  // ```` ```code``` ```` in one line is no block.
  return match === null || (marks.startsWith('`') && info.includes('`'))
    ? undefined
    : { indent, marks, info };
}

function isClosing({ marks }: Opener, text: string, start: number, end: number): boolean {
  if (!mayBeFence(text, start, end)) return false;
  const line = text.slice(start, end).trim();
  return line.length >= marks.length && line === (marks[0] ?? '').repeat(line.length);
}

/** Checks the first character without a copy, because most lines are no fence. */
function mayBeFence(text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && (text[at] === ' ' || text[at] === '\t')) at += 1;
  return text[at] === '`' || text[at] === '~';
}

/** The fence with `start < index < end`, by binary search. */
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

/** The fence that a split at `index` would leave open. */
export function openAt(fences: readonly Fence[], index: number): Fence | undefined {
  const fence = fenceAround(fences, index);
  return fence !== undefined && index >= fence.code && index <= fence.codeEnd ? fence : undefined;
}
