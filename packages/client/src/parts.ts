import type {
  AskEnded,
  Attachment,
  FileLocation,
  JsonValue,
  Message,
  PlanStep,
  Question,
  ToolCall,
  ToolContent,
  ToolKind,
  ToolResult,
  ToolStatus,
  ToolUpdate,
} from '@plugboard/protocol';
import type { EventView } from './shapes.ts';

/** A piece of an answer. `open` means that more of it may come. */
export interface TextPart {
  readonly kind: 'text';
  readonly key: string;
  readonly text: string;
  readonly media: readonly Attachment[];
  readonly open: boolean;
}

export interface ThinkingPart {
  readonly kind: 'thinking';
  readonly key: string;
  readonly text: string;
  readonly open: boolean;
}

/** A call with its result; `result` is null until it comes. */
export interface ToolPart {
  readonly kind: 'tool';
  readonly key: string;
  readonly id: string;
  readonly name: string;
  /** One line for a person; `name` where the agent gave none. */
  readonly title: string;
  readonly input: JsonValue;
  readonly toolKind: ToolKind | null;
  readonly status: ToolStatus;
  readonly locations: readonly FileLocation[];
  /** What the call shows: changes of files, output of a terminal, text. Those of the result once that has any. */
  readonly content: readonly ToolContent[];
  readonly result: { readonly content: string; readonly isError: boolean } | null;
}

/** The plan of the turn, at the place where it first came. */
export interface PlanPart {
  readonly kind: 'plan';
  readonly key: string;
  readonly steps: readonly PlanStep[];
}

/** A question of the agent to a person; `ended` is null while it is open. */
export interface AskPart {
  readonly kind: 'ask';
  readonly key: string;
  /** For `asks.answer`. */
  readonly id: string;
  readonly question: Question;
  readonly ended: Pick<AskEnded, 'outcome' | 'answer'> | null;
}

/** A part of an answer as a reader sees it. */
export type AnswerPart = TextPart | ThinkingPart | ToolPart | PlanPart | AskPart;

/** A part that the caller adds, like a message of a person between two tool calls: `foldAnswer` leaves it in its place. */
export interface ForeignPart {
  readonly kind: string;
  readonly key: string;
}

type Parts<Foreign> = readonly (AnswerPart | Foreign)[];

/**
 * The parts of an answer after one more event of its turn; an event without a part of its own returns the same array. `key` names the
 * part that the event begins: the number of the event. Deltas are a preview that their message replaces, unless `streamed` says that they said all.
 */
export function foldAnswer<Foreign extends ForeignPart = never>(
  parts: Parts<Foreign>,
  event: EventView['event'],
  key: string,
): Parts<Foreign> {
  switch (event.type) {
    case 'delta': {
      const extended = addDelta(parts, event.kind, event.text, key);
      return event.restart ? closeParts(extended) : extended;
    }
    case 'message':
      return addMessage(parts, event, key);
    case 'thinking':
      return addThought(parts, event, key);
    case 'tool-call':
      return [...endThinking(parts), toolPart(key, event)];
    case 'tool-update':
      return updateTool(parts, event, key);
    case 'tool-result':
      return addResult(parts, event, key);
    case 'plan':
      return setPlan(parts, event.steps, key);
    case 'ask': {
      const { id, question } = event;
      return [...endThinking(parts), { kind: 'ask', key, id, question, ended: null }];
    }
    case 'ask-ended':
      return parts.map((part) => (isAsk(part) && part.id === event.id ? endAsk(part, event) : part));
    case 'end':
      return closeParts(parts);
    default:
      return parts;
  }
}

/** The text of an answer: its messages, with a blank line between two of them. */
export function textOf(parts: readonly (AnswerPart | ForeignPart)[]): string {
  return parts
    .filter((part) => isText(part) && part.text !== '')
    .map((part) => (part as TextPart).text)
    .join('\n\n');
}

function addDelta<Foreign extends ForeignPart>(
  parts: Parts<Foreign>,
  kind: 'output' | 'thinking',
  text: string,
  key: string,
): Parts<Foreign> {
  const last = parts.at(-1);
  if (kind === 'thinking') {
    if (last !== undefined && isThinking(last) && last.open)
      return parts.with(-1, { ...last, text: last.text + text });
    return [...endThinking(parts), { kind: 'thinking', key, text, open: true }];
  }
  if (last !== undefined && isPreview(last)) return parts.with(-1, { ...last, text: last.text + text });
  return [...endThinking(parts), { kind: 'text', key, text, media: [], open: true }];
}

/**
 * A message replaces its preview. A `streamed` one leaves the preview where it is, so that tool calls stay between the words they
 * came between; the only preview part may then be the tail of the message, when older events are not loaded yet.
 */
function addMessage<Foreign extends ForeignPart>(
  parts: Parts<Foreign>,
  { text, media, streamed }: Message,
  key: string,
): Parts<Foreign> {
  const preview = parts.filter(isPreview);
  const last = preview.at(-1);
  if (last === undefined) return [...endThinking(parts), { kind: 'text', key, text, media, open: false }];
  if (streamed === undefined) {
    const others = endThinking(parts.filter((part) => !isPreview(part)));
    return [...others, { kind: 'text', key: last.key, text, media, open: false }];
  }
  const whole = preview.length === 1 && text.endsWith(last.text) ? text : last.text;
  return closeParts(parts.map((part) => (part === last ? { ...last, text: whole, media } : part)));
}

/** A thought whose deltas came before closes them; another one is a part of its own. */
function addThought<Foreign extends ForeignPart>(
  parts: Parts<Foreign>,
  { text, streamed }: { readonly text: string; readonly streamed?: true },
  key: string,
): Parts<Foreign> {
  const last = parts.at(-1);
  const isPreviewed = last !== undefined && isThinking(last) && last.open;
  if (isPreviewed) return parts.with(-1, { ...last, text: streamed ? last.text : text, open: false });
  return streamed || text === '' ? parts : [...parts, { kind: 'thinking', key, text, open: false }];
}

function toolPart(
  key: string,
  { id, name, title, input, kind, status, locations, content }: Partial<ToolCall> & { readonly id: string },
): ToolPart {
  return {
    kind: 'tool',
    key,
    id,
    name: name ?? '',
    title: title ?? name ?? '',
    input: input ?? null,
    toolKind: kind ?? null,
    status: status ?? 'running',
    locations: locations ?? [],
    content: content ?? [],
    result: null,
  };
}

function updateTool<Foreign extends ForeignPart>(
  parts: Parts<Foreign>,
  { type: _, id, kind, ...changed }: ToolUpdate,
  key: string,
): Parts<Foreign> {
  const at = openTool(parts, id);
  const called = parts[at];
  if (called === undefined || !isTool(called))
    return [
      ...endThinking(parts),
      toolPart(key, { id, ...changed, ...(kind === undefined ? {} : { kind }) }),
    ];
  return parts.with(at, { ...called, ...changed, toolKind: kind ?? called.toolKind });
}

function addResult<Foreign extends ForeignPart>(
  parts: Parts<Foreign>,
  { id, content, isError, parts: details }: ToolResult,
  key: string,
): Parts<Foreign> {
  const result = { content, isError };
  const at = openTool(parts, id);
  const called = parts[at];
  if (called === undefined || !isTool(called))
    return [...endThinking(parts), { ...toolPart(key, { id }), content: details ?? [], result }];
  return parts.with(at, { ...called, content: details ?? called.content, result });
}

/** The place of the last call with this id that has no result. */
function openTool(parts: Parts<ForeignPart>, id: string): number {
  return parts.findLastIndex((part) => isTool(part) && part.id === id && part.result === null);
}

/** A turn has one plan: a later one replaces it where it stands. */
function setPlan<Foreign extends ForeignPart>(
  parts: Parts<Foreign>,
  steps: readonly PlanStep[],
  key: string,
): Parts<Foreign> {
  const at = parts.findIndex((part) => part.kind === 'plan');
  const plan: PlanPart = { kind: 'plan', key: parts[at]?.key ?? key, steps };
  return at === -1 ? [...endThinking(parts), plan] : parts.with(at, plan);
}

function isText(part: AnswerPart | ForeignPart): part is TextPart {
  return part.kind === 'text';
}

function isThinking(part: AnswerPart | ForeignPart): part is ThinkingPart {
  return part.kind === 'thinking';
}

function isTool(part: AnswerPart | ForeignPart): part is ToolPart {
  return part.kind === 'tool';
}

function isAsk(part: AnswerPart | ForeignPart): part is AskPart {
  return part.kind === 'ask';
}

function endAsk(part: AskPart, { outcome, answer }: AskEnded): AskPart {
  return { ...part, ended: { outcome, ...(answer === undefined ? {} : { answer }) } };
}

function isPreview(part: AnswerPart | ForeignPart): part is TextPart {
  return isText(part) && part.open;
}

/** Closes an open `ThinkingPart` at the end. An open `TextPart` stays a preview until its message comes. */
function endThinking<Foreign extends ForeignPart>(parts: Parts<Foreign>): Parts<Foreign> {
  const last = parts.at(-1);
  return last !== undefined && isThinking(last) && last.open
    ? parts.with(-1, { ...last, open: false })
    : parts;
}

/** Sets `open` to false in every part. */
function closeParts<Foreign extends ForeignPart>(parts: Parts<Foreign>): Parts<Foreign> {
  return parts.map((part) =>
    isPreview(part) || (isThinking(part) && part.open) ? { ...part, open: false } : part,
  );
}
