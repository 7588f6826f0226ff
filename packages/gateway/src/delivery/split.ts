import { fencesOf } from './text/fences.ts';
import { type Measure, units } from './text/measure.ts';
import { type Piece, pieces } from './text/pieces.ts';

/**
 * Cuts a text into parts that a platform takes, at the best place there is: between paragraphs, lines, words, and only
 * then within one. No character that people see as one is cut. A block of code that is cut is closed and opened again.
 */
export function splitText(text: string, longest: number, measure: Measure = units): string[] {
  if (text.trim() === '') return [];
  if (measure(text) <= longest) return [text];
  return [...pieces(text, longest, measure)].map((piece) => shown(text, piece, ''));
}

const MORE = '…';

/** As much of a text as one message takes, with a sign that there is more; code that goes on is closed. */
export function headOf(text: string, longest: number, measure: Measure = units): string {
  const whole = text + (openFence(text)?.close ?? '');
  if (measure(whole) <= longest) return whole;
  const [first] = pieces(text, longest - measure(MORE), measure);
  return first === undefined ? '' : shown(text, first, first.end < text.length ? MORE : '');
}

/** The block of code that the text ends in. */
function openFence(text: string): { readonly close: string } | undefined {
  const last = fencesOf(text).at(-1);
  return last !== undefined && last.end === text.length && last.codeEnd === last.end ? last : undefined;
}

function shown(text: string, { start, end, open, close }: Piece, sign: string): string {
  return open + text.slice(start, end) + sign + close;
}
