import type { Remembered } from '../memory.ts';
import type { DistilLimits } from './limits.ts';

/** What of a message the plan looks at. */
export interface Outline {
  readonly number: number;
  readonly kind: Remembered['kind'];
  /** What it takes of a prompt. */
  readonly shown: number;
  /** Of a result: the message with its call. */
  readonly callNumber: number | null;
}

/** Messages that follow each other. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
}

/** What is shown of the past at most, whatever a prompt has room for. */
export interface InView {
  readonly tokens: number;
  /** Those that no summary stands for. */
  readonly messages: number;
}

/** Whether there is so much in view that a run is due. */
export function isDue(
  { tokens, messages }: InView,
  limits: Pick<DistilLimits, 'trigger' | 'messages'>,
): boolean {
  return tokens > limits.trigger || messages > limits.messages;
}

/** Whether there is little enough in view for a run to end. */
export function isEnough(
  { tokens, messages }: InView,
  limits: Pick<DistilLimits, 'target' | 'messages'>,
): boolean {
  return tokens <= limits.target && messages <= limits.messages / 2;
}

/**
 * The messages to distil next: from the oldest that no summary stands for, about as much as fits into one summary, and
 * none of the last. It ends where no result is parted from its call, if need be later than it should; undefined when
 * there is no such place before the last messages.
 *
 * `open` begins with the oldest and may end before the latest; `last` is the first of those that are kept.
 */
export function nextStretch(
  open: readonly Outline[],
  last: number,
  limits: Pick<DistilLimits, 'stretch' | 'messages'>,
): Stretch | undefined {
  const ends = possibleEnds(open);
  let tokens = 0;
  let best: Stretch | undefined;
  for (const [index, outline] of open.entries()) {
    if (outline.number >= last) break;
    tokens += outline.shown;
    const full = tokens > limits.stretch || index >= limits.messages / 2;
    if (full && best !== undefined) break;
    if (ends[index] === true) best = { from: open[0]?.number ?? 0, to: outline.number, tokens };
  }
  return best;
}

/** For each message, whether a stretch may end with it. */
function possibleEnds(open: readonly Outline[]): boolean[] {
  const answeredBy = new Map<number, number>();
  for (const { number, callNumber } of open) {
    if (callNumber !== null) answeredBy.set(callNumber, number);
  }
  // The calls of the last step may still run; a call of an earlier one that has no result was cut off.
  const lastStep = open.findLast(
    ({ kind }, index) => kind === 'assistant' || (kind === 'call' && open[index - 1]?.kind !== 'call'),
  );
  let busyUntil = 0;
  return open.map(({ number, kind }) => {
    const never = number < (lastStep?.number ?? 0) ? number : Number.POSITIVE_INFINITY;
    if (kind === 'call') busyUntil = Math.max(busyUntil, answeredBy.get(number) ?? never);
    return number >= busyUntil;
  });
}

/** Neighbours to merge into one, among summaries of these levels, oldest first; undefined when there are too few. */
export function nextMerge(
  levels: readonly number[],
): { readonly start: number; readonly length: number } | undefined {
  if (levels.length < 2) return undefined;
  for (const level of [...new Set(levels)].sort((a, b) => a - b)) {
    const start = levels.indexOf(level);
    const run = levels.slice(start).findIndex((other) => other !== level);
    const length = run === -1 ? levels.length - start : run;
    if (length >= MERGED) return { start, length: MERGED };
  }
  return { start: 0, length: 2 };
}

/** So many of one level become one of the next: a fact is told again only a few times in a long life. */
const MERGED = 4;
