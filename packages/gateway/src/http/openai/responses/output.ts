import type { Piece } from '../turn/answer-text.ts';

/** An output item: a message or reasoning. */
export interface OutputItem {
  readonly kind: Piece['kind'];
  readonly id: string;
  text: string;
  status: 'in_progress' | 'completed' | 'incomplete';
}

/** Output items, in order. Only the last can be `in_progress`. */
export interface Output {
  readonly turnId: string;
  readonly items: OutputItem[];
}

/** A stream event without its `sequence_number`. */
export type StreamEvent = { readonly type: `response.${string}` } & Readonly<Record<string, unknown>>;

export function createOutput(turnId: string): Output {
  return { turnId, items: [] };
}

/** Output of a finished turn: at most one reasoning item and one message item. */
export function wholeOutput(
  turnId: string,
  { thinking, text }: { readonly thinking: string; readonly text: string },
  status: OutputItem['status'],
): Output {
  const output = createOutput(turnId);
  if (thinking !== '') addPiece(output, { kind: 'thinking', text: thinking });
  if (text !== '') addPiece(output, { kind: 'text', text });
  if (status !== 'in_progress') closeOutput(output, status);
  return output;
}

/** Adds a piece; returns the stream events for it. */
export function addPiece(output: Output, { kind, text }: Piece): StreamEvent[] {
  const before = output.items.at(-1);
  const events: StreamEvent[] = [];
  if (before?.kind !== kind) {
    events.push(...closeOutput(output, 'completed'));
    output.items.push({ kind, id: createItemId(output, kind), text: '', status: 'in_progress' });
    events.push(...openingEvents(output));
  }
  const item = output.items.at(-1);
  if (item === undefined) return events;
  item.text += text;
  return [...events, { ...textEvent(output, item, 'delta'), delta: text }];
}

/** Finishes the last item; returns the stream events for it. */
export function closeOutput(output: Output, status: 'completed' | 'incomplete'): StreamEvent[] {
  const item = output.items.at(-1);
  if (item?.status !== 'in_progress') return [];
  item.status = status;
  const output_index = output.items.length - 1;
  return [
    { ...textEvent(output, item, 'done'), text: item.text },
    { type: 'response.content_part.done', ...positionOf(output, item), part: partOf(item, item.text) },
    { type: 'response.output_item.done', output_index, item: viewItem(item) },
  ];
}

/** An item in the format of the Responses API. */
export function viewItem(item: OutputItem): object {
  const { kind, id, status, text } = item;
  const content = status === 'in_progress' && text === '' ? [] : [partOf(item, text)];
  return kind === 'text'
    ? { id, type: 'message', role: 'assistant', status, content }
    : { id, type: 'reasoning', summary: [], status, content };
}

function openingEvents(output: Output): StreamEvent[] {
  const item = output.items.at(-1);
  if (item === undefined) return [];
  const output_index = output.items.length - 1;
  return [
    { type: 'response.output_item.added', output_index, item: viewItem(item) },
    { type: 'response.content_part.added', ...positionOf(output, item), part: partOf(item, '') },
  ];
}

function textEvent(output: Output, item: OutputItem, step: 'delta' | 'done'): StreamEvent {
  return item.kind === 'text'
    ? { type: `response.output_text.${step}`, ...positionOf(output, item), logprobs: [] }
    : { type: `response.reasoning_text.${step}`, ...positionOf(output, item) };
}

function positionOf({ items }: Output, { id }: OutputItem) {
  return { item_id: id, output_index: items.length - 1, content_index: 0 };
}

function partOf({ kind }: OutputItem, text: string): object {
  return kind === 'text'
    ? { type: 'output_text', text, annotations: [], logprobs: [] }
    : { type: 'reasoning_text', text };
}

/** The id of the item after those of `output`; `parseItemId` reads it. */
function createItemId({ turnId, items }: Output, kind: Piece['kind']): string {
  return `${kind === 'text' ? 'msg' : 'rs'}_${turnId}_${items.length}`;
}

/** The kind and the turn of an item id; undefined for an id that `createItemId` did not make. */
export function parseItemId(
  id: string,
): { readonly kind: Piece['kind']; readonly turnId: string } | undefined {
  const [, prefix, turnId] = /^(msg|rs)_(.+)_\d{1,9}$/.exec(id) ?? [];
  return turnId === undefined ? undefined : { kind: prefix === 'msg' ? 'text' : 'thinking', turnId };
}
