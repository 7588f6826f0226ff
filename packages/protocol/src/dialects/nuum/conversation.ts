import { eventsOf, type HostEffect, type InputEffect, type Probe } from '../../contract/host-side.ts';
import type { Accepted, End, Event } from '../../model/event.ts';
import { faultEvent } from '../../model/fault.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Answer, Question } from '../../model/question.ts';
import type { Turn } from '../../model/turn.ts';
import { responseFields } from './asks.ts';
import { writeTurn } from './request.ts';
import { writeLine } from './wire.ts';

/** After a turn ends, a `sent` message may go unbegun for this time before a heartbeat asks. */
const FOLLOW_UP_MS = 1_000;

/** The same for a message that the agent has reported as `queued`: it means to answer it. */
const QUEUED_MS = 8_000;

/** Time limit for the `heartbeat_ack`. */
const HEARTBEAT_MS = 5_000;

/** A stray turn, without `turn_accepted`, ends when it has produced no event for this time. */
const STRAY_MS = 10_000;

/** After a `system/error`, the agent has this time to begin the turn anyway. */
const REFUSED_MS = 1_000;

/** A message that was written and not yet `taken` by a turn. */
interface SentInput {
  readonly id: string;
  /** The agent has reported the message as `queued`. */
  queued: boolean;
  /**
   * False after an interrupt: the input was reported as `taken` by the interrupted turn, and its own turn is not shown.
   */
  wanted: boolean;
  /** A cancel came before its turn began, and its turn was reported to have `taken` later messages. */
  cancelled: boolean;
}

/** The turn that the agent is at. */
interface RunningTurn {
  readonly id: string;
  /** No message was waiting and no `turn_accepted` came: its `result` may never come. */
  readonly stray: boolean;
  /** Its message was given up before it began (`wanted` is false): its events are dropped. */
  readonly muted: boolean;
  /** The agent has said `interrupted`. */
  interrupted: boolean;
  lastText: string;
  /** A message was said. */
  spoken: boolean;
}

/** One agent process. The wire has no ids: the order of lines says which turn answers which message. */
export interface NuumHostState {
  session: string | undefined;
  turn: RunningTurn | undefined;
  /** In the order in which they were written. */
  readonly sent: SentInput[];
  /** Not written yet: the agent may still begin one of `sent`, and its turn would be taken for one of these. */
  readonly held: Turn[];
  /** Interrupts that no end of a turn has answered. A late interrupt is answered by a `system/error`. */
  interrupts: number;
  /** Heartbeats without an answer, in order: asked by the caller, or by us to see whether `sent` is forgotten. */
  readonly heartbeats: ('probe' | 'settle')[];
  /** The last `system/error` in place of a turn that was sent. */
  complaint: string;
  /** A turn has ended before all of `sent` was taken: it is open whether the agent will answer the rest. */
  settling: boolean;
  /** The `QUEUED_MS` after the last turn are over. */
  queueExpired: boolean;
  /** Of the last turn that has ended. */
  last: { readonly id: string; readonly succeeded: boolean } | undefined;
  /** Open questions of the running turn, by `askId` of the agent. */
  readonly asks: Map<string, Question>;
  /** Turns that the agent began by itself. */
  ownTurns: number;
  ended: boolean;
}

/** The state of a new process. */
export function createConversation(): NuumHostState {
  return {
    session: undefined,
    turn: undefined,
    sent: [],
    held: [],
    interrupts: 0,
    heartbeats: [],
    complaint: '',
    settling: false,
    queueExpired: false,
    last: undefined,
    asks: new Map(),
    ownTurns: 0,
    ended: false,
  };
}

/**
 * The running turn, or the turn that the agent is to begin next. Undefined while `settling`, when the agent may have
 * dropped that message.
 */
export function currentTurn({ turn, sent, settling }: NuumHostState): string | undefined {
  return turn?.id ?? (settling ? undefined : sent[0]?.id);
}

/** Adds an event to the current turn. */
export function tell(state: NuumHostState, event: Event, out: HostEffect[]): void {
  if (state.turn?.muted === true) return;
  eventsOf(out, currentTurn(state)).push(event);
}

/** Writes a message. While `settling`, it is held back until the earlier messages are answered or given up. */
export function send(state: NuumHostState, turn: Turn, out: HostEffect[]): void {
  if (state.ended) {
    out.push({ type: 'input', inputId: turn.id, state: 'returned' });
    return;
  }
  endStray(state, '', out);
  if (state.settling) state.held.push(turn);
  else give(state, turn, out);
}

function give({ sent }: NuumHostState, turn: Turn, out: HostEffect[]): void {
  sent.push({ id: turn.id, queued: false, wanted: true, cancelled: false });
  out.push({ type: 'input', inputId: turn.id, state: 'given' });
  out.push({ type: 'write', text: writeTurn(turn) });
}

/**
 * Asks the agent to stop. With `cancel`, the messages that it has not begun are given up with the turn; with `timeout`
 * they are still answered.
 */
export function interrupt(
  state: NuumHostState,
  turnId: string | undefined,
  cause: 'cancel' | 'timeout',
  out: HostEffect[],
): void {
  if (state.turn?.stray === true && (turnId === undefined || turnId === state.turn.id))
    return endStray(state, '', out);
  const current = currentTurn(state);
  if (current === undefined || (turnId !== undefined && turnId !== current)) return;
  if (cause === 'cancel') giveUp(state, current, out);
  state.interrupts += 1;
  out.push({ type: 'write', text: writeLine({ type: 'control', action: 'interrupt' }) });
}

function giveUp({ turn, sent }: NuumHostState, turnId: string, out: HostEffect[]): void {
  const [first, ...later] = sent;
  for (const input of turn === undefined ? later : sent) {
    if (!input.wanted) continue;
    input.wanted = false;
    if (turn === undefined && first !== undefined) first.cancelled = true;
    out.push({ type: 'input', inputId: input.id, state: 'taken', turnId });
  }
}

/** Asks for the state of the process. */
export function probe(state: NuumHostState, what: Probe, out: HostEffect[]): void {
  if (state.ended) return;
  if (what === 'heartbeat') state.heartbeats.push('probe');
  out.push({ type: 'write', text: writeLine({ type: 'control', action: what }) });
}

/** Emits a `session` event when the agent's session id has changed. */
export function noteSession(state: NuumHostState, id: JsonValue | undefined, out: HostEffect[]): void {
  if (typeof id !== 'string' || id === '' || id === state.session) return;
  state.session = id;
  tell(state, { type: 'session', id }, out);
}

/**
 * Begins a turn for the oldest message in `sent`. With an `origin`, or with `sent` empty, it is a turn of the agent's
 * own.
 */
export function beginTurn(
  state: NuumHostState,
  announced: Pick<Accepted, 'at' | 'origin'>,
  out: HostEffect[],
): void {
  const input = announced.origin === undefined ? state.sent.shift() : undefined;
  clearTimers(out);
  state.settling = false;
  // The agent reads in order: a `system/error` about an earlier interrupt would have come before this turn.
  state.interrupts = 0;
  state.turn = {
    id: input?.id ?? `own-${++state.ownTurns}`,
    stray: input === undefined && announced.at === undefined && announced.origin === undefined,
    muted: input?.wanted === false,
    interrupted: false,
    lastText: '',
    spoken: false,
  };
  if (input?.wanted === true)
    out.push({ type: 'input', inputId: input.id, state: 'taken', turnId: input.id });
  const inputs = input === undefined ? {} : { inputs: [input.id] };
  tell(state, { type: 'accepted', ...inputs, ...announced }, out);
  if (state.turn.muted) interrupt(state, state.turn.id, 'timeout', out);
  giveHeld(state, out);
}

/** Adds an event to the turn. An agent that does not announce its turns begins a turn with it. */
export function addContent(state: NuumHostState, event: Event, out: HostEffect[]): void {
  if (event.type !== 'fault' && state.turn === undefined) beginTurn(state, {}, out);
  if (event.type === 'message' && state.turn !== undefined) {
    state.turn.lastText = event.text;
    state.turn.spoken = true;
  }
  tell(state, event, out);
  if (state.turn?.stray === true) out.push({ type: 'timer', name: 'stray', ms: STRAY_MS });
}

/** The agent has reported that the next message waits in its queue. */
export function noteQueued(state: NuumHostState, position: number, out: HostEffect[]): void {
  const input = state.sent.find(({ queued }) => !queued);
  if (input !== undefined) input.queued = true;
  tell(state, { type: 'queued', position, ...(input === undefined ? {} : { input: input.id }) }, out);
}

/** The running turn has taken in the `count` oldest messages of `sent`. */
export function noteInjected(state: NuumHostState, count: number, out: HostEffect[]): void {
  const turnId = state.turn?.id;
  if (turnId === undefined || count > state.sent.length) {
    const message = 'The agent reports more injected messages than it was sent.';
    tell(state, faultEvent('malformed-frame', message, `message_count ${count}`), out);
  }
  if (turnId === undefined) return;
  const taken = state.sent.splice(0, count);
  for (const input of taken) leaveUnbegun(input, { state: 'taken', turnId }, out);
  if (taken.length > 0) tell(state, { type: 'steered', inputs: taken.map(({ id }) => id) }, out);
}

/** Ends the running turn. A `result` text without an earlier message is sent as the message. */
export function endTurn(state: NuumHostState, end: End, out: HostEffect[]): void {
  const { turn } = state;
  if (turn === undefined) return;
  for (const askId of state.asks.keys()) out.push({ type: 'withdraw', askId });
  state.asks.clear();
  if (end.outcome === 'success' && end.text !== '' && !turn.spoken)
    tell(state, { type: 'message', text: end.text, media: [] }, out);
  tell(state, end, out);
  if (end.outcome === 'cancelled' && state.interrupts > 0) state.interrupts -= 1;
  state.turn = undefined;
  state.last = { id: turn.id, succeeded: end.outcome === 'success' };
  if (state.ended) return;
  clearTimers(out);
  if (state.sent.length === 0) return giveHeld(state, out);
  state.settling = true;
  state.queueExpired = false;
  out.push({ type: 'timer', name: 'follow-up', ms: FOLLOW_UP_MS });
  out.push({ type: 'timer', name: 'queued', ms: QUEUED_MS });
}

/** Ends a stray turn, for which a `result` may never come. */
export function endStray(state: NuumHostState, line: string, out: HostEffect[]): void {
  if (state.turn?.stray !== true) return;
  const message = 'The agent said something outside any turn, and had no result for it.';
  tell(state, faultEvent('late-frame', message, line === '' ? undefined : line), out);
  endTurn(state, { type: 'end', outcome: 'success', text: state.turn.lastText }, out);
}

/**
 * Ends a turn whose `result` will not come: some agents answer an interrupt with `interrupted` alone. Only after that
 * line is a later sign of an idle agent taken for the end.
 */
export function endForgotten(state: NuumHostState, out: HostEffect[]): void {
  if (state.turn?.interrupted !== true) return;
  endTurn(state, { type: 'end', outcome: 'cancelled', text: state.turn.lastText }, out);
}

/** Opens a question, which is withdrawn when its turn ends. */
export function noteQuestion(
  state: NuumHostState,
  askId: string,
  question: Question,
  out: HostEffect[],
): void {
  const { turn, asks } = state;
  if (turn === undefined || turn.muted || asks.has(askId)) {
    const message = 'The agent asks outside any turn, or under an id that is open already.';
    tell(state, faultEvent('malformed-frame', message, askId), out);
    return;
  }
  asks.set(askId, question);
  out.push({ type: 'ask', askId, turnId: turn.id, question });
}

/** The agent waits for this answer no longer. */
export function withdrawQuestion({ asks }: NuumHostState, askId: string, out: HostEffect[]): void {
  if (asks.delete(askId)) out.push({ type: 'withdraw', askId });
}

/** Writes an answer, unless the question was withdrawn. */
export function answerQuestion(
  { asks }: NuumHostState,
  askId: string,
  answer: Answer,
  out: HostEffect[],
): void {
  const question = asks.get(askId);
  if (question === undefined) return;
  asks.delete(askId);
  out.push({
    type: 'write',
    text: writeLine({ type: 'control', ...responseFields(askId, question, answer) }),
  });
}

/** A `system/error`: about an interrupt that came too late, or about the message that was to begin a turn. */
export function noteComplaint(state: NuumHostState, message: string, out: HostEffect[]): void {
  tell(state, { type: 'log', level: 'warning', text: message, source: 'agent' }, out);
  if (state.interrupts > 0) {
    state.interrupts -= 1;
  } else if (state.turn === undefined && state.sent.length > 0) {
    state.complaint = message;
    out.push({ type: 'timer', name: 'refused', ms: REFUSED_MS });
  }
}

/** The answer to the oldest heartbeat: a `probe` of the caller, or a `settle` of ours. */
export function noteHeartbeat(state: NuumHostState, out: HostEffect[]): void {
  if (state.heartbeats.shift() === 'settle') settle(state, out);
  else out.push({ type: 'probed', probe: 'heartbeat' });
}

type Fate = Pick<InputEffect, 'state' | 'turnId'>;

/** Reports the fate of a message that begins no turn. Where its turn has `taken` others, that turn is cancelled. */
export function leaveUnbegun({ id, wanted, cancelled }: SentInput, fate: Fate, out: HostEffect[]): void {
  if (!wanted) return;
  const { state, turnId } = cancelled ? ({ state: 'taken', turnId: id } as const) : fate;
  out.push({ type: 'input', inputId: id, state, ...(turnId === undefined ? {} : { turnId }) });
  if (cancelled) eventsOf(out, id).push({ type: 'end', outcome: 'cancelled', text: '' });
}

/** A timer of this machine has run out. */
export function runTimer(state: NuumHostState, name: string, out: HostEffect[]): void {
  if (name === 'queued') state.queueExpired = true;
  else if (name === 'stray') endStray(state, '', out);
  else if (name === 'heartbeat') settle(state, out);
  else if (name === 'follow-up' && state.settling) askWhetherForgotten(state, out);
  else if (name === 'refused' && state.turn === undefined && state.sent.length > 0) refuse(state, out);
}

function askWhetherForgotten(state: NuumHostState, out: HostEffect[]): void {
  state.heartbeats.push('settle');
  out.push({ type: 'write', text: writeLine({ type: 'control', action: 'heartbeat' }) });
  out.push({ type: 'timer', name: 'heartbeat', ms: HEARTBEAT_MS });
}

/**
 * The agent reads in order: when it answers a `heartbeat`, it has read every earlier message without beginning it.
 * After a successful turn those messages count as taken in by it; after a failed turn they are lost, and returned.
 */
function settle(state: NuumHostState, out: HostEffect[]): void {
  const { settling, sent, last } = state;
  if (!settling || last === undefined) return;
  out.push({ type: 'timer', name: 'heartbeat', ms: undefined });
  if (last.succeeded && !state.queueExpired && sent.some(({ queued }) => queued)) {
    out.push({ type: 'timer', name: 'follow-up', ms: FOLLOW_UP_MS });
    return;
  }
  const fate: Fate = last.succeeded ? { state: 'taken', turnId: last.id } : { state: 'returned' };
  for (const input of sent.splice(0)) leaveUnbegun(input, fate, out);
  state.settling = false;
  clearTimers(out);
  giveHeld(state, out);
}

/** The agent wrote a `system/error` instead of beginning the turn, so the turn ends with that error. */
function refuse(state: NuumHostState, out: HostEffect[]): void {
  const error = { message: state.complaint, code: 'refused' };
  beginTurn(state, {}, out);
  endTurn(state, { type: 'end', outcome: 'error', text: '', error }, out);
}

function giveHeld(state: NuumHostState, out: HostEffect[]): void {
  for (const turn of state.held.splice(0)) give(state, turn, out);
}

function clearTimers(out: HostEffect[]): void {
  for (const name of ['follow-up', 'queued', 'heartbeat', 'stray', 'refused'])
    out.push({ type: 'timer', name, ms: undefined });
}
