import { fencesOf } from './text/fences.ts';
import { type Measure, units } from './text/measure.ts';
import { type Piece, splitPieces } from './text/pieces.ts';

/**
 * Splits a text by the limit of a platform, at the best break: paragraph, line, word, then within a word. A grapheme is
 * never split unless it is longer than a message. A code block is closed and reopened at the split.
 */
export function splitText(text: string, longest: number, measure: Measure = units): string[] {
  return splitAtMost(text, longest, Infinity, measure) ?? [];
}

/** Like `splitText`; undefined when there are more than `most` parts. A long text is not split to its end for that. */
export function splitAtMost(
  text: string,
  longest: number,
  most: number,
  measure: Measure = units,
): string[] | undefined {
  if (text.trim() === '') return [];
  if (measure(text) <= longest) return [text];
  const parts: string[] = [];
  for (const piece of splitPieces(text, longest, measure)) {
    if (parts.length === most) return undefined;
    parts.push(renderPiece(text, piece, ''));
  }
  return parts;
}

const MORE = '…';

/** The start of a text that fits into one message, with `MORE` appended; an open code block is closed. */
export function headOf(text: string, longest: number, measure: Measure = units): string {
  const whole = text + (openFence(text)?.close ?? '');
  if (measure(whole) <= longest) return whole;
  const [first] = splitPieces(text, longest - measure(MORE), measure);
  return first === undefined ? '' : renderPiece(text, first, first.end < text.length ? MORE : '');
}

/** The code block that is still open at the end of the text. */
function openFence(text: string): { readonly close: string } | undefined {
  const last = fencesOf(text).at(-1);
  return last !== undefined && last.end === text.length && last.codeEnd === last.end ? last : undefined;
}

function renderPiece(text: string, { start, end, open, close }: Piece, sign: string): string {
  return open + text.slice(start, end) + sign + close;
}
