import { type Item, itemOf } from '../loop/item.ts';
import { replayMessages, replayPast } from '../loop/replay.ts';
import { createTranscript, type OwnedTranscript, type Transcript } from '../loop/transcript.ts';
import { coverByRules } from '../memory/distil/cover-by-rules.ts';
import { type DistilLimits, distilLimitsFor } from '../memory/distil/limits.ts';
import type { Memory, Present, View } from '../memory/memory.ts';
import type { Entry } from '../memory/messages/message.ts';

/** The conversation of an agent as a transcript over its memory. */
export interface Conversation {
  /** Brings the transcript up to date for a turn whose message is in memory already. */
  beginTurn(): Transcript;
  /** The number of the first message of the running turn. */
  readonly turnFrom: number;
  /** Appends to the transcript the messages that came into memory since, for example steered messages. */
  catchUp(): void;
  /** Forgets the transcript: the next turn makes it anew from memory. */
  reset(): void;
  /** Appends replies and results to memory, before `Transcript.add`. */
  record(entries: readonly Entry[]): void;
}

/** Options of `createConversation`. */
export interface ConversationOptions {
  readonly memory: Memory;
  /** Tokens of the past in a new transcript, and after a cut. */
  readonly view: number;
  readonly now: () => number;
}

/** Anthropic's cache entries expire 5 minutes after their last use; a long transcript then costs its full price. */
const CACHE_MS = 5 * 60_000;

/**
 * Keeps one transcript from turn to turn, so that each question begins with the bytes of the last. It is rebuilt from
 * memory when the provider's cache has expired, or after `forget`.
 */
export function createConversation({ memory, view, now }: ConversationOptions): Conversation {
  const limits = distilLimitsFor(view);
  let transcript: OwnedTranscript | undefined;
  let lastNumber = 0;
  let usedAt = 0;
  let forgettings = 0;
  let turnFrom = 0;
  /** The mission, status and list that the transcript shows last. */
  let shownPresent = '';

  const presentItems = (to: number, before = ''): Item[] => {
    shownPresent = presentText(memory.present.get());
    if (shownPresent === before) return [];
    const text = `[What you are about now, as you have set it]\n${shownPresent || '(nothing)'}`;
    return [{ ...itemOf({ role: 'user', text }, to), passing: true }];
  };
  const openAfterCut = (to: number, tokens: number): Item[] => {
    coverByRules(memory, to, limits);
    const { coveredTo } = memory.summaries.counters;
    return [...replayPast(memory.messages.past(tokens), coveredTo), ...presentItems(coveredTo)];
  };
  const rebuild = (): OwnedTranscript => {
    const shown = viewWithoutGap(memory, view, limits);
    const { coveredTo } = memory.summaries.counters;
    const items = replayMessages(shown.recent);
    const request = items.findLastIndex(({ said }) => said.role === 'user');
    const before = items.slice(0, Math.max(0, request));
    const made = createTranscript({
      items: [...replayPast(shown, coveredTo), ...before],
      low: view,
      openAfterCut,
      lastNumber: () => lastNumber,
      coveredTo: () => memory.summaries.counters.coveredTo,
    });
    turnFrom = (before.at(-1)?.to ?? coveredTo) + 1;
    made.beginTurn();
    made.extend([...presentItems(before.at(-1)?.to ?? coveredTo), ...items.slice(before.length)]);
    lastNumber = items.at(-1)?.to ?? coveredTo;
    return made;
  };
  const catchUp = (): void => {
    if (transcript === undefined) return;
    const after = transcript.items.at(-1)?.to ?? 0;
    const items = replayMessages(memory.messages.since(after, view), idsIn(transcript));
    transcript.extend(items);
    lastNumber = Math.max(lastNumber, items.at(-1)?.to ?? 0);
  };
  const isStale = (kept: OwnedTranscript): boolean =>
    forgettings !== memory.summaries.counters.forgettings ||
    (now() - usedAt > CACHE_MS && kept.tokens > view);

  return {
    beginTurn() {
      if (transcript === undefined || isStale(transcript)) transcript = rebuild();
      else {
        removeUnanswered(transcript);
        transcript.beginTurn();
        turnFrom = (transcript.items.at(-1)?.to ?? 0) + 1;
        transcript.extend(presentItems(transcript.items.at(-1)?.to ?? 0, shownPresent));
        catchUp();
      }
      forgettings = memory.summaries.counters.forgettings;
      usedAt = now();
      return transcript;
    },
    get turnFrom() {
      return turnFrom;
    },
    catchUp,
    reset() {
      transcript = undefined;
    },
    record(entries) {
      usedAt = now();
      lastNumber = Math.max(lastNumber, ...memory.messages.appendAll(entries));
    },
  };
}

/** An interrupted turn leaves calls without results in the transcript; `catchUp` replays them from memory. */
function removeUnanswered(transcript: OwnedTranscript): void {
  const last = transcript.items.at(-1)?.said;
  if (last?.role === 'assistant' && last.calls.length > 0) transcript.removeLast();
}

function idsIn({ said }: Transcript): Set<string> {
  return new Set(said.flatMap((one) => (one.role === 'assistant' ? one.calls.map(({ id }) => id) : [])));
}

/**
 * A view in which every message is shown, or has a summary that stands for it. Messages that do not fit are covered down to
 * half of the budget at once: the next process would otherwise begin with another message every time.
 */
function viewWithoutGap(memory: Memory, budget: number, limits: DistilLimits): View {
  const view = memory.messages.view(budget);
  const first = view.recent[0]?.number ?? 0;
  if (view.omitted === 0 || first <= memory.summaries.counters.coveredTo + 1) return view;
  const kept = memory.messages.view(budget / 2).recent[0]?.number ?? first;
  coverByRules(memory, kept - 1, limits);
  return memory.messages.view(budget);
}

function presentText({ mission, status, todos }: Present): string {
  const lines = [
    ...(mission === '' ? [] : [`Mission: ${mission}`]),
    ...(status === '' ? [] : [`Status: ${status}`]),
    ...todos.map(
      ({ content, status: state, reason }) =>
        `- [${state}] ${content}${reason === undefined ? '' : ` (${reason})`}`,
    ),
  ];
  return lines.join('\n');
}
