import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import type { SeenLine } from '../observe/sight.ts';

/** One parsed line; `undefined` if it is no JSON object. */
export type Frame = JsonObject | undefined;

// Cache: `Wait.done` gets all lines again for each chunk of output.
const parsed = new WeakMap<SeenLine, { readonly frame: Frame }>();

/** Frames in the order of `lines` and with the same indexes: a line without a frame gives `undefined`. */
export function framesOf(lines: readonly SeenLine[]): Frame[] {
  return lines.map((line) => {
    const known = parsed.get(line) ?? { frame: parseFrame(line.text) };
    parsed.set(line, known);
    return known.frame;
  });
}

function parseFrame(text: string): Frame {
  const reading = parseJson(text);
  return reading.ok && isObject(reading.value) ? reading.value : undefined;
}

export function countFrames(lines: readonly SeenLine[], like: (frame: Frame) => boolean): number {
  return framesOf(lines).filter(like).length;
}
