import type { Connection } from '@plugboard/sqlite';
import { type Counters, readCounters } from '../agent/counters.ts';
import type { View } from '../memory.ts';
import { type StoredSummary, type Summary, shownSummaries, summaryOf } from '../summaries/stored.ts';
import { estimateTokens, MESSAGE_OVERHEAD } from '../tokens.ts';
import { cutInput, cutText, MESSAGE_LIMIT } from './cut.ts';
import type { Remembered } from './message.ts';
import { rememberedOf, type Stored } from './stored.ts';
import type { Tail } from './tail.ts';

/** The part of the budget that one message of the last turn may take. */
const LATEST_SHARE = 1 / 3;

/** The least tokens to which a message is cut. */
const LEAST_LIMIT = 64;

interface Shown {
  readonly message: Remembered;
  readonly callNumber: number | null;
  readonly tokens: number;
}

/** The latest summaries within half of `budget`, and the latest messages in the rest. */
export function viewOf(connection: Connection, tail: Tail, budget: number): View {
  const counted = readCounters(connection);
  const { messages, covered } = counted;
  const past = latestSummaries(shownSummaries(connection), budget / 2);
  const room = Math.max(0, budget - past.tokens);
  const recent = recentMessages(tail, counted, room);
  return {
    summaries: past.summaries,
    omitted: messages - covered - recent.length + past.leftOut,
    recent: recent.map(({ message }) => message),
    tokens: past.tokens + recent.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** The latest summaries within `budget` tokens. */
export function pastOf(connection: Connection, budget: number): Pick<View, 'summaries' | 'omitted'> {
  const { summaries, leftOut } = latestSummaries(shownSummaries(connection), budget);
  return { summaries, omitted: leftOut };
}

/** A message as `viewOf` shows those of the last turn. */
export function latestShown(stored: Stored, budget: number): Remembered {
  const limit = Math.max(MESSAGE_LIMIT, Math.floor(budget * LATEST_SHARE));
  return shownAs(stored, 0, limit).message;
}

/**
 * The latest summaries within `budget` tokens. The distiller keeps their sum below that, except right after a smaller
 * budget was set.
 */
function latestSummaries(
  all: readonly StoredSummary[],
  budget: number,
): { summaries: Summary[]; tokens: number; leftOut: number } {
  let tokens = 0;
  let first = all.length;
  for (const [index, summary] of [...all.entries()].reverse()) {
    if (tokens + summary.tokens > budget) break;
    tokens += summary.tokens;
    first = index;
  }
  const leftOut = all.slice(0, first).reduce((sum, { messages }) => sum + messages, 0);
  return { summaries: all.slice(first).map(summaryOf), tokens, leftOut };
}

/** The latest messages within `budget` tokens. When not even the last step fits, its messages are cut shorter. */
function recentMessages(tail: Tail, counted: Counters, budget: number): Shown[] {
  for (let limit = MESSAGE_LIMIT; ; limit = Math.max(LEAST_LIMIT, Math.floor(limit / 4))) {
    const found = fitMessages(tail, counted, budget, limit);
    if (found.shown.length > 0 || found.end || limit === LEAST_LIMIT) return found.shown.reverse();
  }
}

/**
 * Latest first, down to the oldest message at which no result would be separated from its call. `end`: there are no
 * older ones.
 */
function fitMessages(
  tail: Tail,
  counted: Counters,
  budget: number,
  limit: number,
): { shown: Shown[]; end: boolean } {
  const taken: Shown[] = [];
  let whole = 0;
  let tokens = 0;
  let earliestCall = Number.POSITIVE_INFINITY;
  let latestTurn = true;
  const most = Math.max(limit, Math.floor((budget * LATEST_SHARE * limit) / MESSAGE_LIMIT));
  for (const stored of tail.latestFirst(counted)) {
    const shown = shownAs(stored, counted.coveredTo, latestTurn ? most : limit);
    if (stored.kind === 'user') latestTurn = false;
    tokens += shown.tokens;
    if (tokens > budget) return { shown: taken.slice(0, whole), end: false };
    taken.push(shown);
    earliestCall = Math.min(earliestCall, shown.callNumber ?? stored.number);
    if (earliestCall >= stored.number) whole = taken.length;
  }
  return { shown: taken, end: true };
}

/**
 * Cache of messages that are shown uncut, which are the same in every view. Entries live as long as those of the tail.
 */
const shownWhole = new WeakMap<Stored, Shown>();

/** A result whose call is covered by a summary becomes a note: providers refuse a result without its call. */
function shownAs(stored: Stored, coveredTo: number, limit: number): Shown {
  const known = stored.tokens <= limit ? shownWhole.get(stored) : undefined;
  if (known !== undefined && (known.callNumber ?? Number.POSITIVE_INFINITY) > coveredTo) return known;
  const cut = stored.kind === 'call' ? cutInput : cutText;
  const text = cut(stored.text, stored.number, limit);
  const tokens = estimateTokens(text) + MESSAGE_OVERHEAD;
  if (stored.kind !== 'result' || (stored.callNumber ?? 0) > coveredTo) {
    const shown = { message: rememberedOf(stored, text), callNumber: stored.callNumber, tokens };
    if (text === stored.text) shownWhole.set(stored, shown);
    return shown;
  }
  const note = { kind: 'note', text: `The result of an earlier call: ${text}` } as const;
  return { message: { ...note, number: stored.number, at: stored.at }, callNumber: null, tokens };
}
