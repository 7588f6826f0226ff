/** Quality of a break: 1 word, 2 sentence, 3 line, 4 paragraph; 0 is within a word. */
type Rank = 0 | 1 | 2 | 3 | 4;

const SENTENCE_ENDS = new Set('.!?…:;');
/** Marks that end a sentence without a following space. */
const WIDE_ENDS = new Set('。！？');

/**
 * The best break in `from` to `to`: the highest `Rank` in the later half, so that parts do not become short; else the
 * last break of any rank. Undefined within a word that is too long.
 */
export function bestBreak(
  text: string,
  from: number,
  to: number,
  isAllowed: (index: number) => boolean,
): number | undefined {
  const last: Record<Rank, number> = { 0: 0, 1: 0, 2: 0, 3: 0, 4: 0 };
  for (let index = from + 1; index <= to; index += 1) {
    const rank = rankOf(text, index);
    if (rank > 0 && isAllowed(index)) last[rank] = index;
  }
  const half = from + (to - from) / 2;
  for (const rank of [4, 3, 2, 1] as const) if (last[rank] >= half) return last[rank];
  const any = Math.max(last[1], last[2], last[3], last[4]);
  return any === 0 ? undefined : any;
}

function rankOf(text: string, index: number): Rank {
  const before = text[index - 1] ?? '';
  if (before === '\n') return isBlankLine(text, index - 1) ? 4 : 3;
  if (WIDE_ENDS.has(before)) return 2;
  if (!isSpace(before) || isSpace(text[index] ?? '')) return 0;
  return SENTENCE_ENDS.has(text[index - 2] ?? '') ? 2 : 1;
}

/** Whether the line that ends at `end` is blank. */
function isBlankLine(text: string, end: number): boolean {
  let at = end - 1;
  while (at >= 0 && text[at] !== '\n' && isSpace(text[at] ?? '')) at -= 1;
  return at >= 0 && text[at] === '\n';
}

/** White space that may be dropped at a break. A no-break space is part of its word. */
export function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}
