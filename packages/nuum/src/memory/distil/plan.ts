import type { Remembered } from '../messages/message.ts';
import type { DistilLimits } from './limits.ts';

/** The columns of a message that `nextStretch` needs. */
export interface Outline {
  readonly number: number;
  readonly kind: Remembered['kind'];
  /** Tokens in a prompt. */
  readonly shown: number;
  /** For a result, the number of the message with its call. */
  readonly callNumber: number | null;
}

export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
}

/** The size of the past that a prompt shows, if it has room. */
export interface InView {
  readonly tokens: number;
  /** Messages that no summary covers. */
  readonly messages: number;
}

export function isDue(
  { tokens, messages }: InView,
  limits: Pick<DistilLimits, 'trigger' | 'messages'>,
): boolean {
  return tokens > limits.trigger || messages > limits.messages;
}

export function isEnough(
  { tokens, messages }: InView,
  limits: Pick<DistilLimits, 'target' | 'messages'>,
): boolean {
  return tokens <= limits.target && messages <= limits.messages / 2;
}

/**
 * The oldest messages that no summary covers, of about `limits.stretch` tokens, before the message `last`. The stretch
 * ends where no result would be separated from its call, later than `limits.stretch` if necessary. Undefined when there
 * is no such end before `last`. `open` begins with the oldest message and may end before the latest.
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
  // Calls of the last step may still be running. An earlier call without a result was interrupted.
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

/**
 * Consecutive summaries to merge, given the levels of all shown ones, oldest first. Undefined when there are fewer than
 * 2.
 */
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

/**
 * The number of summaries of one level that become one of the next. Each fact is rewritten once per level, so that
 * levels must be few.
 */
const MERGED = 4;
