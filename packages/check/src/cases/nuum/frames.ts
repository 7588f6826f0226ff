import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import type { SeenLine } from '../../observe/sight.ts';

/** One line of a resident agent; undefined where it is no JSON object. */
export type Frame = JsonObject | undefined;

// Lines are parsed anew at each look of a wait: a weak map makes that cost nothing.
const parsed = new WeakMap<SeenLine, { readonly frame: Frame }>();

/** The frames of all lines, in order; a line that is none keeps its place. */
export function framesOf(lines: readonly SeenLine[]): Frame[] {
  return lines.map((line) => {
    const known = parsed.get(line) ?? { frame: parse(line.text) };
    parsed.set(line, known);
    return known.frame;
  });
}

function parse(text: string): Frame {
  const reading = parseJson(text);
  return reading.ok && isObject(reading.value) ? reading.value : undefined;
}

/** Whether a frame is a system line of one kind. */
export function isSystem(frame: Frame, subtype: string): boolean {
  return frame?.type === 'system' && frame.subtype === subtype;
}

/** Whether a frame ends a turn. */
export function isResult(frame: Frame): boolean {
  return frame?.type === 'result';
}

/** How many frames are like that. */
export function count(lines: readonly SeenLine[], like: (frame: Frame) => boolean): number {
  return framesOf(lines).filter(like).length;
}

/** What has become of the user lines so far. */
export interface Accounts {
  /** Turns that were announced, less those that the agent began by itself. */
  readonly begun: number;
  /** User lines that were taken into a running turn. */
  readonly taken: number;
  readonly results: number;
  /** The most turns that ran at the same time. */
  readonly atOnce: number;
}

/** Counts turns and results as they follow each other. */
export function accountsOf(lines: readonly SeenLine[]): Accounts {
  let begun = 0;
  let taken = 0;
  let results = 0;
  let running = 0;
  let atOnce = 0;
  for (const frame of framesOf(lines)) {
    if (isSystem(frame, 'turn_accepted')) {
      running++;
      if (frame?.origin === undefined) begun++;
    } else if (isSystem(frame, 'injected'))
      taken += typeof frame?.message_count === 'number' ? frame.message_count : 0;
    else if (isResult(frame)) {
      results++;
      running = Math.max(0, running - 1);
    }
    atOnce = Math.max(atOnce, running);
  }
  return { begun, taken, results, atOnce };
}
