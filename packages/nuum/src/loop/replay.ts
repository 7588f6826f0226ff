import { type Call, type CallResult, createCallId, type Said } from '@plugboard/llm';
import type { JsonValue } from '@plugboard/protocol';
import type { View } from '../memory/memory.ts';
import type { Remembered } from '../memory/messages/message.ts';
import type { Summary } from '../memory/summaries/stored.ts';
import { type Item, itemOf } from './item.ts';

/** The result of a call that was interrupted, or whose process ended. */
const NO_RESULT = 'There is no result: the call was cut off before it had finished.';

/**
 * Messages as items, in the order providers want: every call is followed by the results of all calls made with it, and
 * messages that came meanwhile stand after those. Calls keep the ids under which they were sent; `taken` holds the ids
 * that other items have, as an id may be used only once in a prompt.
 */
export function replayMessages(recent: readonly Remembered[], taken: Set<string> = new Set()): Item[] {
  const items: Item[] = [];
  for (let index = 0; index < recent.length; ) {
    const said: Said[] = [];
    index = addNext(said, recent, index, taken);
    const to = recent[index - 1]?.number ?? 0;
    items.push(...said.map((one) => itemOf(one, to)));
  }
  return items;
}

/** The summaries of the messages up to `to` as one item; empty without summaries. */
export function replayPast(past: Pick<View, 'summaries' | 'omitted'>, to: number): Item[] {
  const text = pastText(past);
  return text === '' ? [] : [itemOf({ role: 'user', text }, to)];
}

/** Appends the messages that begin at `index`. Returns the index of the next. */
function addNext(said: Said[], recent: readonly Remembered[], index: number, taken: Set<string>): number {
  const one = recent[index];
  if (one === undefined) return index + 1;
  if (one.kind === 'user' || one.kind === 'note') {
    said.push({ role: 'user', text: userText(one) });
    return index + 1;
  }
  // Providers refuse a result without its call.
  if (one.kind === 'result') return index + 1;
  return addAnswer(said, recent, index, taken);
}

/** Appends one answer: a text, calls, or both. Its calls are those that directly follow. */
function addAnswer(said: Said[], recent: readonly Remembered[], start: number, taken: Set<string>): number {
  const first = recent[start];
  const text = first?.kind === 'assistant' ? first.text : '';
  let index = first?.kind === 'assistant' ? start + 1 : start;
  const calls: Call[] = [];
  for (let one = recent[index]; one?.kind === 'call'; one = recent[++index]) {
    calls.push({ id: createCallId(one.callId, taken), name: one.name, input: asObject(one.input) });
  }
  said.push({ role: 'assistant', text, calls });
  if (calls.length === 0) return index;
  return addResults(said, recent, { calls, from: index, ids: callIds(recent, index - calls.length, index) });
}

/** Ids of the model by which stored results name their calls. A later turn may use the same ids again. */
function callIds(recent: readonly Remembered[], from: number, to: number): string[] {
  return recent.slice(from, to).flatMap((one) => (one.kind === 'call' ? [one.callId] : []));
}

interface Open {
  readonly calls: readonly Call[];
  /** Ids of the model for `calls`, in the same order. */
  readonly ids: readonly string[];
  readonly from: number;
}

function addResults(said: Said[], recent: readonly Remembered[], { calls, ids, from }: Open): number {
  const found = new Map<string, CallResult>();
  const meanwhile: Said[] = [];
  let index = from;
  for (let one = recent[index]; one !== undefined && found.size < calls.length; one = recent[++index]) {
    if (one.kind === 'assistant' || one.kind === 'call') break;
    if (one.kind !== 'result') meanwhile.push({ role: 'user', text: userText(one) });
    else {
      const call = calls[ids.indexOf(one.callId)];
      if (call !== undefined) found.set(call.id, resultOf(call, one));
    }
  }
  const results = calls.map((call) => found.get(call.id) ?? missingResult(call));
  said.push({ role: 'results', results }, ...meanwhile);
  return index;
}

function resultOf(
  { id, name }: Call,
  { content, isError }: { content: string; isError: boolean },
): CallResult {
  return { id, name, content, isError };
}

function missingResult({ id, name }: Call): CallResult {
  return { id, name, content: NO_RESULT, isError: true };
}

function asObject(input: JsonValue): JsonValue {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
}

/** The message with its number, by which `recall_message` finds it, and its time. */
function userText(one: Remembered & { kind: 'user' | 'note' }): string {
  const origin = one.kind === 'note' ? ' note' : one.origin === undefined ? '' : ` ${one.origin}`;
  return `[#${one.number}${origin}, ${minuteText(one.at)}]\n${one.text}`;
}

/** The text of the summaries, and the number of messages that are not shown. */
function pastText({ summaries, omitted }: Pick<View, 'summaries' | 'omitted'>): string {
  const parts = summaries.map(summaryText);
  if (omitted > 0) {
    parts.push(
      `(${omitted} messages after that are not shown here for lack of room; \`recall\` finds them.)`,
    );
  }
  return parts.length === 0
    ? ''
    : ['[What happened before, as you keep it in memory]', ...parts].join('\n\n');
}

function summaryText({ from, to, fromAt, toAt, context, facts }: Summary): string {
  const head = `Messages #${from} to #${to}, ${minuteText(fromAt)} to ${minuteText(toAt)}: ${context}`;
  return [head, ...facts.map((fact) => `- ${fact}`)].join('\n');
}

/** A cache of one entry: consecutive messages mostly have the same minute, and `toISOString` is slow. */
let lastMinute = { at: Number.NaN, text: '' };

function minuteText(at: number): string {
  const start = Math.floor(at / 60_000);
  if (start !== lastMinute.at) {
    const text = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    lastMinute = { at: start, text };
  }
  return lastMinute.text;
}
