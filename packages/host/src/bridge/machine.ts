import {
  type AgentEffect,
  type AgentInput,
  answerOf,
  type End,
  type Event,
  type Failure,
  type HostEffect,
  type HostInput,
  type Question,
  type Turn,
} from '@plugboard/protocol';

/** Inputs from the front: effects of its `AgentSide`, and the end of the process that it runs in. */
export type FrontRequest =
  | Extract<AgentEffect, { type: 'turn' | 'interrupt' | 'answer' | 'cannot-ask' }>
  /** No `turn` will come any more. */
  | { readonly type: 'input-end' }
  /** Interrupts the running turns and drops the others. */
  | { readonly type: 'stop' }
  /** Ends the turns that `stop` has not ended. */
  | { readonly type: 'give-up' };

/** Inputs from the agent behind: effects of its `HostSide`. An input that it has `returned` is asked again before. */
export type AgentReport =
  | Extract<HostEffect, { type: 'events' | 'input' | 'ask' | 'withdraw' }>
  /** The turn of the agent may not be shown to the front. */
  | { readonly type: 'refuse'; readonly turnId: string; readonly failure: Failure };

/** Inputs of the agent behind, inputs of the front, and `done` when the front may exit. */
export type BridgeEffect =
  | Extract<HostInput, { type: 'send' | 'interrupt' | 'answer' }>
  | Extract<AgentInput, { type: 'event' | 'ask' | 'withdraw' }>
  | { readonly type: 'done' };

/** The agent behind, as far as it decides what a bridge sends. */
export interface Behind {
  /** All turns go to one process, which runs them one after the other. */
  readonly resident: boolean;
  /** A running turn takes more input. */
  readonly steering: boolean;
  /** Completes the `End` of a turn from the texts of its messages; of a turn without an operation from the last one. */
  complete(turn: Turn, end: End, said: readonly string[]): End;
}

/** A turn that has not ended at the front, or not behind. */
interface OpenTurn {
  /** At the front. */
  readonly id: string;
  /** Undefined for a turn that the agent began by itself. */
  readonly turn: Turn | undefined;
  /** `session.key`; of a turn that the agent began by itself, that of the last turn that was sent. */
  readonly key: string | undefined;
  /** The agent behind was sent it, or began it. */
  sent: boolean;
  /** A turn of the agent has it. */
  taken: boolean;
  /** The front was told `accepted`. */
  begun: boolean;
  /** The front was told `queued`. */
  queued: boolean;
  /** It has ended at the front by `refuse`, and its end behind is awaited. */
  refused: boolean;
  /** The turn that has taken it in. */
  into: OpenTurn | undefined;
  /** Events of a turn that the agent began by itself while a turn of the front had begun and was not `taken`. */
  held: Event[] | undefined;
  /** Ids of tool calls without a result. */
  readonly calls: Set<string>;
  /** Texts of its messages. */
  readonly said: string[];
}

/** Everything between a front and the agent behind it. */
export interface BridgeState {
  readonly behind: Behind;
  /** By the turn id of the agent, in the order in which they came. A turn of the front has its own id there. */
  readonly turns: Map<string, OpenTurn>;
  /** Questions that the front was asked, by `askId`. */
  readonly asks: Map<string, Question>;
  /** The session key of the last turn that was sent. */
  key: string | undefined;
  ownTurns: number;
  inputEnded: boolean;
  stopped: boolean;
  done: boolean;
}

export function createBridgeState(behind: Behind): BridgeState {
  return {
    behind,
    turns: new Map(),
    asks: new Map(),
    key: undefined,
    ownTurns: 0,
    inputEnded: false,
    stopped: false,
    done: false,
  };
}

/**
 * Makes effects of the front inputs of the agent behind, and effects of the agent inputs of the front. Each turn of the
 * front has one `end`, or is named by the `steered` of another turn.
 */
export function stepBridge(state: BridgeState, input: FrontRequest | AgentReport, out: BridgeEffect[]): void {
  switch (input.type) {
    case 'events':
      takeEvents(state, input.turnId, input.events, out);
      break;
    case 'turn':
      if (!state.stopped) state.turns.set(input.turn.id, openTurn(input.turn.id, input.turn));
      break;
    case 'input':
      if (input.state === 'taken') takeInput(state, input.inputId, input.turnId ?? input.inputId, out);
      break;
    case 'interrupt':
      interruptTurn(state, input.turnId, out);
      break;
    case 'ask':
    case 'withdraw':
    case 'answer':
    case 'cannot-ask':
      passQuestion(state, input, out);
      break;
    case 'refuse':
      refuseTurn(state, input.turnId, input.failure, out);
      break;
    case 'input-end':
      state.inputEnded = true;
      break;
    case 'stop':
      stopTurns(state, out);
      break;
    case 'give-up':
      for (const open of [...state.turns.values()])
        if (open.begun) endTurn(state, open, cancelledEnd(open), out);
      state.turns.clear();
  }
  settle(state, out);
}

function openTurn(id: string, turn?: Turn, key = turn?.session.key): OpenTurn {
  return {
    id,
    turn,
    key,
    sent: false,
    taken: false,
    begun: false,
    queued: false,
    refused: false,
    into: undefined,
    held: undefined,
    calls: new Set(),
    said: [],
  };
}

/** Sends what may be sent now, tells the front what waits, and ends the bridge after the last turn. */
function settle(state: BridgeState, out: BridgeEffect[]): void {
  for (const open of state.turns.values()) if (open.held !== undefined) releaseHeld(state, open, out);
  for (const open of state.turns.values()) if (!open.sent && maySend(state, open)) send(state, open, out);
  tellQueued(state, out);
  if (state.done || state.turns.size > 0 || !(state.inputEnded || state.stopped)) return;
  state.done = true;
  out.push({ type: 'done' });
}

function isSameLane(one: OpenTurn, other: OpenTurn): boolean {
  return one.key === other.key || one.key === undefined || other.key === undefined;
}

/** Steering must not reach a turn of another session: the agent would answer it there. */
function maySend({ behind, turns }: BridgeState, open: OpenTurn): boolean {
  const busy = [...turns.values()].filter(({ sent }) => sent);
  if (!behind.resident) return !busy.some((other) => isSameLane(open, other));
  return behind.steering ? busy.every((other) => isSameLane(open, other)) : busy.length === 0;
}

/** A turn begins at once where no other turn of its session is open behind; otherwise when the agent begins it. */
function send(state: BridgeState, open: OpenTurn, out: BridgeEffect[]): void {
  if (open.turn === undefined) return;
  const isFirst = ![...state.turns.values()].some((other) => other.sent && isSameLane(open, other));
  open.sent = true;
  state.key = open.key;
  if (isFirst) beginTurn(open, {}, out);
  out.push({ type: 'send', turn: open.turn });
}

function beginTurn(open: OpenTurn, { origin }: { origin?: 'alarm' | 'task' }, out: BridgeEffect[]): void {
  open.begun = true;
  const why = origin === undefined ? { inputs: [open.id] } : { origin };
  out.push({ type: 'event', turnId: open.id, event: { type: 'accepted', ...why } });
}

function tellQueued({ turns }: BridgeState, out: BridgeEffect[]): void {
  const waiting = [...turns.values()].filter(({ begun, refused, into }) => !begun && !refused && !into);
  for (const open of waiting) {
    if (open.queued || open.held !== undefined) continue;
    const running = [...turns.values()].find((other) => other.begun && isSameLane(open, other));
    if (running === undefined) continue;
    open.queued = true;
    const position = waiting.filter((other) => isSameLane(open, other)).indexOf(open) + 1;
    out.push({ type: 'event', turnId: running.id, event: { type: 'queued', position, input: open.id } });
  }
}

/** The agent has begun the turn of an input, or has taken the input into another turn. */
function takeInput(state: BridgeState, inputId: string, turnId: string, out: BridgeEffect[]): void {
  const open = state.turns.get(inputId);
  if (open === undefined || open.taken) return;
  open.taken = true;
  if (turnId === inputId) {
    if (!open.begun && !open.refused) beginTurn(open, {}, out);
    return;
  }
  const running = state.turns.get(turnId);
  if (running === undefined) endTurn(state, open, { type: 'end', outcome: 'success', text: '' }, out);
  else if (running.held !== undefined) becomeTurn(state, open, turnId, running.held, out);
  else open.into = running;
}

/** A turn of the front was taken into a turn whose events are held: the events are from now on those of `open`. */
function becomeTurn(
  state: BridgeState,
  open: OpenTurn,
  turnId: string,
  held: readonly Event[],
  out: BridgeEffect[],
): void {
  state.turns.delete(open.id);
  state.turns.set(turnId, open);
  for (const event of held) takeEvent(state, open, event, out);
}

function takeEvents(
  state: BridgeState,
  turnId: string | undefined,
  events: readonly Event[],
  out: BridgeEffect[],
): void {
  const open =
    turnId === undefined ? undefined : (state.turns.get(turnId) ?? beginOwn(state, turnId, events[0], out));
  for (const event of events) {
    if (open?.held !== undefined) open.held.push(event);
    else if (open !== undefined) takeEvent(state, open, event, out);
    // Logs between turns are left to the listener of idle events.
    else if (OF_NO_TURN.has(event.type) || (event.type === 'log' && turnId !== undefined))
      out.push({ type: 'event', turnId: undefined, event });
  }
}

/** Events about the session as a whole, which an agent may send between two turns. */
const OF_NO_TURN: ReadonlySet<Event['type']> = new Set(['tasks', 'options', 'session-info', 'usage']);

/**
 * A turn that the agent begins by itself. Its first event is `accepted`, and its id at the front is new: a process that
 * is started again gives the same ids.
 */
function beginOwn(
  state: BridgeState,
  turnId: string,
  first: Event | undefined,
  out: BridgeEffect[],
): OpenTurn | undefined {
  if (state.stopped || first?.type !== 'accepted') return undefined;
  const open = openTurn(`unasked-${++state.ownTurns}`, undefined, state.key);
  const isBusy = [...state.turns.values()].some(({ begun }) => begun);
  Object.assign(open, { sent: true, taken: true, held: isBusy ? [first] : undefined });
  state.turns.set(turnId, open);
  if (!isBusy) beginTurn(open, { origin: first.origin ?? 'task' }, out);
  return open;
}

function releaseHeld(state: BridgeState, open: OpenTurn, out: BridgeEffect[]): void {
  if ([...state.turns.values()].some(({ begun }) => begun)) return;
  const [first, ...events] = open.held ?? [];
  open.held = undefined;
  beginTurn(open, { origin: (first?.type === 'accepted' ? first.origin : undefined) ?? 'task' }, out);
  for (const event of events) takeEvent(state, open, event, out);
}

function takeEvent(state: BridgeState, open: OpenTurn, event: Event, out: BridgeEffect[]): void {
  if (event.type === 'end') return endTurn(state, open, event, out);
  if (open.refused) return;
  switch (event.type) {
    // The front says these by itself, in its own form.
    case 'ready':
    case 'accepted':
    case 'queued':
      return;
    case 'steered':
      return passSteered(state, open, event.inputs, out);
    case 'tool-call':
      open.calls.add(event.id);
      break;
    case 'tool-result':
      open.calls.delete(event.id);
      break;
    case 'message':
      // All texts are needed for the answer of an operation only; otherwise the last one is enough.
      if (open.turn?.operation === undefined) open.said.length = 0;
      open.said.push(event.text);
  }
  out.push({ type: 'event', turnId: open.id, event });
}

function passSteered(
  state: BridgeState,
  open: OpenTurn,
  given: readonly string[],
  out: BridgeEffect[],
): void {
  const inputs = given.filter((id) => id !== open.id);
  for (const id of inputs) state.turns.delete(id);
  if (inputs.length > 0) out.push({ type: 'event', turnId: open.id, event: { type: 'steered', inputs } });
}

/** Ends a turn at the front, with the inputs that it has taken in without naming them in `steered`. */
function endTurn(state: BridgeState, open: OpenTurn, end: End, out: BridgeEffect[]): void {
  const { id, turn, said, calls } = open;
  for (const [turnId, other] of state.turns) if (other === open) state.turns.delete(turnId);
  if (open.refused) return;
  open.refused = true;
  for (const call of calls) out.push({ type: 'event', turnId: id, event: closedCall(call) });
  const event = turn === undefined ? end : state.behind.complete(turn, end, said);
  out.push({ type: 'event', turnId: id, event });
  for (const other of [...state.turns.values()])
    if (other.into === open) endTurn(state, other, { type: 'end', outcome: end.outcome, text: '' }, out);
}

/** A host shows a `tool-call` as running until its `tool-result` comes. */
function closedCall(id: string): Event {
  return { type: 'tool-result', id, content: 'The turn ended before the tool did.', isError: true };
}

function cancelledEnd({ said }: OpenTurn): End {
  return { type: 'end', outcome: 'cancelled', text: said.at(-1) ?? '' };
}

/** Ends the turn at the front, and stops it behind. */
function refuseTurn(state: BridgeState, turnId: string, error: Failure, out: BridgeEffect[]): void {
  const open = state.turns.get(turnId);
  if (open === undefined || open.refused) return;
  endTurn(state, open, { type: 'end', outcome: 'error', text: '', error }, out);
  // Kept until the agent has ended it: the next turn waits for that.
  open.begun = false;
  state.turns.set(turnId, open);
  out.push({ type: 'interrupt', turnId, cause: 'cancel' });
}

function interruptTurn({ turns }: BridgeState, id: string | undefined, out: BridgeEffect[]): void {
  const found = [...turns].find(([, open]) => (id === undefined ? open.begun : open.id === id));
  if (found === undefined) return;
  const [turnId, open] = found;
  if (open.sent) out.push({ type: 'interrupt', turnId, cause: 'cancel' });
  else {
    turns.delete(turnId);
    out.push({ type: 'event', turnId: open.id, event: cancelledEnd(open) });
  }
}

function stopTurns(state: BridgeState, out: BridgeEffect[]): void {
  state.stopped = true;
  for (const [turnId, { begun }] of state.turns) {
    if (begun) out.push({ type: 'interrupt', turnId, cause: 'cancel' });
    else state.turns.delete(turnId);
  }
}

type QuestionInput = Extract<
  FrontRequest | AgentReport,
  { type: 'ask' | 'withdraw' | 'answer' | 'cannot-ask' }
>;

const CANNOT_ASK = 'This needs permission, and the host has no way to be asked for it.';

/** Each question of the agent gets one answer, unless the agent withdraws it. */
function passQuestion({ asks, turns }: BridgeState, input: QuestionInput, out: BridgeEffect[]): void {
  const { askId } = input;
  if (input.type === 'ask') {
    const open = turns.get(input.turnId);
    if (open === undefined || open.refused) return void out.push(denial(askId, input.question));
    asks.set(askId, input.question);
    out.push({ type: 'ask', askId, turnId: open.id, question: input.question });
    return;
  }
  const question = asks.get(askId);
  if (question === undefined) return;
  asks.delete(askId);
  out.push(input.type === 'cannot-ask' ? denial(askId, question) : input);
}

function denial(askId: string, question: Question): BridgeEffect {
  const answer = answerOf(question, { allowed: false, reason: CANNOT_ASK }, { by: 'host', via: 'policy' });
  return { type: 'answer', askId, answer };
}
