import type { HostEffect } from '../../contract/host-side.ts';
import { stringOf, stringsOf } from '../../framing/narrow.ts';
import type { JsonObject } from '../../model/json.ts';
import { tell } from '../../rpc-host/state.ts';
import type { Conversation, RunningTurn, StreamedBlock } from './state.ts';

/** Kinds of items that are text, with the kind of their deltas. */
const TEXT_ITEMS: Readonly<Record<string, StreamedBlock['kind']>> = {
  agentMessage: 'output',
  // The answer of a turn in plan mode.
  plan: 'output',
  reasoning: 'thinking',
};

/** The kind of an item that is text; undefined for other items. */
export function textKind({ type }: JsonObject): StreamedBlock['kind'] | undefined {
  return typeof type === 'string' && Object.hasOwn(TEXT_ITEMS, type) ? TEXT_ITEMS[type] : undefined;
}

/** A piece of a message or thought. */
export function addDelta(
  conversation: Conversation,
  turn: RunningTurn,
  kind: StreamedBlock['kind'],
  { itemId, delta }: JsonObject,
  out: HostEffect[],
): void {
  if (typeof itemId !== 'string' || typeof delta !== 'string' || delta === '') return;
  const block = openBlock(conversation, turn, kind, itemId, out);
  block.text += delta;
  tell(conversation, { type: 'delta', kind, text: delta }, out);
}

/** `summaryPartAdded`: the next part of a thought is a new paragraph. */
export function addPart(
  conversation: Conversation,
  turn: RunningTurn,
  { itemId }: JsonObject,
  out: HostEffect[],
): void {
  const { block } = turn;
  if (block?.itemId !== itemId || block?.text === '') return;
  addDelta(conversation, turn, 'thinking', { itemId, delta: '\n\n' } as JsonObject, out);
}

function openBlock(
  conversation: Conversation,
  turn: RunningTurn,
  kind: StreamedBlock['kind'],
  itemId: string,
  out: HostEffect[],
): StreamedBlock {
  const { block } = turn;
  if (block?.itemId === itemId && block.kind === kind) return block;
  breakBlock(conversation, turn, out);
  const begun: StreamedBlock = { kind, itemId, text: '' };
  turn.block = begun;
  return begun;
}

/** A message or thought breaks off: its deltas are no part of the next one. */
export function breakBlock(conversation: Conversation, turn: RunningTurn, out: HostEffect[]): void {
  const { block } = turn;
  turn.block = undefined;
  if (block === undefined || block.text === '') return;
  tell(conversation, { type: 'delta', kind: block.kind, text: '', restart: true }, out);
}

/** A message or thought is complete. */
export function completeText(
  conversation: Conversation,
  turn: RunningTurn,
  kind: StreamedBlock['kind'],
  item: JsonObject,
  out: HostEffect[],
): void {
  const text = kind === 'output' ? (stringOf(item.text) ?? '') : thoughtOf(item);
  const isOwn = turn.block?.itemId === item.id;
  const isStreamed = isOwn && turn.block?.text === text;
  if (isOwn) {
    if (text === '') breakBlock(conversation, turn, out);
    turn.block = undefined;
  }
  tellText(conversation, turn, kind, text, isStreamed, out);
}

/** A summary stands for the thought itself, which most models keep to themselves. */
function thoughtOf({ summary, content }: JsonObject): string {
  const parts = stringsOf(summary);
  return (parts.length === 0 ? stringsOf(content) : parts).join('\n\n');
}

/** The turn ends in the middle of a message or thought: what was said of it stays. */
export function endBlock(conversation: Conversation, turn: RunningTurn, out: HostEffect[]): void {
  const { block } = turn;
  turn.block = undefined;
  if (block !== undefined) tellText(conversation, turn, block.kind, block.text, true, out);
}

function tellText(
  conversation: Conversation,
  turn: RunningTurn,
  kind: StreamedBlock['kind'],
  text: string,
  isStreamed: boolean,
  out: HostEffect[],
): void {
  if (text === '') return;
  const streamed = isStreamed ? { streamed: true as const } : {};
  if (kind === 'thinking') return tell(conversation, { type: 'thinking', text, ...streamed }, out);
  turn.lastText = text;
  tell(conversation, { type: 'message', text, media: [], ...streamed }, out);
}
