import type { EventView, SessionView } from '@plugboard/client';
import type { AgentInput, End, Event } from '@plugboard/protocol';

/** A message of the front that no turn of the gateway has taken. */
interface SentMessage {
  /** Of the front. */
  readonly turnId: string;
  /** The number of its `user` event; null where that was not in the log yet. */
  readonly number: number | null;
}

/** The turns of one session, as the front sees them. */
export interface SessionTurns {
  /** By the id of the message. */
  readonly sent: Map<string, SentMessage>;
  /** Messages of other people that no turn has taken, by id. */
  readonly others: Map<string, string>;
  /** The front's id for each turn of the gateway that has not ended. */
  readonly running: Map<string, string>;
  /** Questions that are open at the gateway. */
  readonly asks: Set<string>;
}

export function createSessionTurns(): SessionTurns {
  return { sent: new Map(), others: new Map(), running: new Map(), asks: new Set() };
}

/** The turn of an entry whose message must be known before `readEntry`. */
export function unknownTurn({ running }: SessionTurns, { event, turnId }: EventView): string | undefined {
  return turnId === null || event.type === 'user' || running.has(turnId) ? undefined : turnId;
}

/**
 * The inputs for the front that say one entry of the log. A turn that answers a message of the front has the id that the
 * front knows; any other turn has one of its own, and shows who has said what. `message` is the message that the turn
 * began with, for `unknownTurn`.
 */
export function readEntry(
  turns: SessionTurns,
  { event, turnId }: EventView,
  message: string | null,
): AgentInput[] {
  const out: AgentInput[] = [];
  if (event.type === 'dropped') for (const id of event.messageIds) endMessage(turns, id, 'cancelled', out);
  else if (event.type === 'user') noteUser(turns, turnId, event, out);
  else if (event.type === 'notice') return out;
  else if (turnId === null) out.push(input(undefined, event));
  else {
    if (!turns.running.has(turnId)) beginTurn(turns, turnId, message, out);
    sayEvent(turns, turnId, event, out);
  }
  return out;
}

/** The front says these by itself. Session ids of the agent are kept by the gateway. */
const OWN: ReadonlySet<Event['type']> = new Set(['ready', 'session', 'queued']);

function sayEvent(turns: SessionTurns, turnId: string, event: Event, out: AgentInput[]): void {
  const { running, asks } = turns;
  const id = running.get(turnId) ?? turnId;
  if (event.type === 'ask') {
    asks.add(event.id);
    out.push({ type: 'ask', askId: event.id, turnId: id, question: event.question });
  } else if (event.type === 'ask-ended') {
    if (asks.delete(event.id)) out.push({ type: 'withdraw', askId: event.id });
  } else if (event.type === 'accepted' || event.type === 'steered') {
    for (const message of event.inputs ?? []) takeMessage(turns, id, message, out);
  } else if (!OWN.has(event.type)) {
    if (event.type === 'end') out.push(...reasonOfCancel(id, event));
    out.push(input(id, event));
  }
  if (event.type === 'end') running.delete(turnId);
}

/** The error of a cancelled `end` as a message, because ACP has none for the stop reason `cancelled`. */
function reasonOfCancel(id: string, { outcome, error }: End): AgentInput[] {
  if (outcome !== 'cancelled' || error === undefined) return [];
  return [input(id, { type: 'message', text: error.message, media: [] })];
}

function beginTurn(turns: SessionTurns, turnId: string, message: string | null, out: AgentInput[]): void {
  const own = message === null ? undefined : turns.sent.get(message);
  const id = own?.turnId ?? `gateway-${turnId}`;
  turns.running.set(turnId, id);
  out.push(input(id, own === undefined ? { type: 'accepted', origin: 'task' } : accepted(id)));
  if (message === null) return;
  if (own === undefined) takeMessage(turns, id, message, out);
  else turns.sent.delete(message);
}

const accepted = (id: string): Event => ({ type: 'accepted', inputs: [id] });

/** A turn that has begun takes a message in: one of the front is answered with it, any other one is shown. */
function takeMessage({ sent, others }: SessionTurns, id: string, message: string, out: AgentInput[]): void {
  const own = sent.get(message);
  const other = others.get(message);
  sent.delete(message);
  others.delete(message);
  if (own !== undefined) out.push(input(id, { type: 'steered', inputs: [own.turnId] }));
  else if (other !== undefined) out.push(input(id, { type: 'progress', text: other }));
}

function noteUser(
  turns: SessionTurns,
  turnId: string | null,
  { messageId, sender, text }: EventView['event'] & { type: 'user' },
  out: AgentInput[],
): void {
  if (!turns.sent.has(messageId)) turns.others.set(messageId, `${sender}: ${text}`);
  const running = turnId === null ? undefined : turns.running.get(turnId);
  if (running !== undefined) takeMessage(turns, running, messageId, out);
}

/** The ends of messages that the gateway has answered with others: it has nothing left to do, and no turn names them. */
export function readStatus(turns: SessionTurns, { state, waiting, lastEvent }: SessionView): AgentInput[] {
  const out: AgentInput[] = [];
  if (state !== 'idle' || waiting > 0 || turns.running.size > 0) return out;
  for (const [id, { number }] of turns.sent)
    if (number !== null && lastEvent > number) endMessage(turns, id, 'success', out);
  return out;
}

function endMessage(
  { sent }: SessionTurns,
  messageId: string,
  outcome: 'success' | 'cancelled',
  out: AgentInput[],
): void {
  const own = sent.get(messageId);
  sent.delete(messageId);
  if (own !== undefined) out.push(input(own.turnId, { type: 'end', outcome, text: '' }));
}

/** The turns of the front that have not ended. */
export function openTurns({ running, sent }: SessionTurns): string[] {
  return [...running.values(), ...[...sent.values()].map(({ turnId }) => turnId)];
}

function input(turnId: string | undefined, event: Event): AgentInput {
  return { type: 'event', turnId, event };
}
