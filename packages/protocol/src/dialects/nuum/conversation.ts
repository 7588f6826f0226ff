import type { Accepted, End, Event } from '../../model/event.ts';
import { faultEvent } from '../../model/fault.ts';
import type { JsonValue } from '../../model/json.ts';
import type { ControlReply } from '../dialect.ts';

/** What a host knows of the agent on the other side. */
export interface NuumHostState {
  session: string | undefined;
  /** A turn has begun and has no result yet. */
  running: boolean;
  /** Nobody asked for the running turn, and nobody announced it: its result may never come. */
  stray: boolean;
  /** The agent has said that it was interrupted during this turn. */
  interrupted: boolean;
  /** Turns that were sent and have neither begun nor been taken into a running one. */
  pending: number;
  lastText: string;
  /** The running turn has said something. */
  spoken: boolean;
}

/** Where the events of a step go. */
export type Out = (Event | ControlReply)[];

/** A conversation in which nothing has been said. */
export function createConversation(): NuumHostState {
  return {
    session: undefined,
    running: false,
    stray: false,
    interrupted: false,
    pending: 0,
    lastText: '',
    spoken: false,
  };
}

/**
 * Call this after writing a user line: without it, a result that no `turn_accepted` came before could not be told from a
 * stray one. It also closes a stray turn.
 */
export function noteSent(state: NuumHostState): void {
  state.pending++;
  if (!state.stray) return;
  state.stray = false;
  state.running = false;
}

/** Waiting turns were taken into the running one: they will not begin on their own. */
export function noteTaken(state: NuumHostState, count: number): void {
  state.pending = Math.max(0, state.pending - count);
}

/** Reports the agent's session id when it is news. */
export function noteSession(state: NuumHostState, id: JsonValue | undefined, out: Out): void {
  if (typeof id !== 'string' || id === '' || id === state.session) return;
  state.session = id;
  out.push({ type: 'session', id });
}

/** Starts a turn. One that carries an origin was asked for by nobody, so no waiting turn has begun with it. */
export function beginTurn(state: NuumHostState, accepted: Accepted, out: Out): void {
  state.stray = state.pending === 0 && accepted.at === undefined && accepted.origin === undefined;
  if (accepted.origin === undefined) noteTaken(state, 1);
  state.running = true;
  state.interrupted = false;
  state.spoken = false;
  state.lastText = '';
  out.push(accepted);
}

/** Reports part of a turn. Some agents do not announce their turns: then the first part does. */
export function addContent(state: NuumHostState, event: Event, out: Out): void {
  if (event.type !== 'fault' && !state.running) beginTurn(state, { type: 'accepted' }, out);
  if (event.type === 'message') {
    state.lastText = event.text;
    state.spoken = true;
  }
  out.push(event);
}

/** Ends the running turn. A result that no message has said is the message. */
export function endTurn(state: NuumHostState, end: End, out: Out): void {
  if (end.outcome === 'success' && end.text !== '' && !state.spoken) {
    out.push({ type: 'message', text: end.text, media: [] });
  }
  state.spoken = false;
  state.running = false;
  state.stray = false;
  state.interrupted = false;
  out.push(end);
}

/** Ends a turn that nobody announced: the next one has been, so what came before had no more to say. */
export function endStray(state: NuumHostState, line: string, out: Out): void {
  if (!state.running || !state.stray) return;
  out.push(faultEvent('late-frame', 'Something was said outside any turn, and had no result.', line));
  endTurn(state, { type: 'end', outcome: 'success', text: state.lastText }, out);
}

/**
 * Ends a turn whose result will not come: there are agents that acknowledge an interrupt and then forget to report
 * the end. Only after such an acknowledgement is silence taken for an end.
 */
export function endForgotten(state: NuumHostState, out: Out): void {
  if (!state.running || !state.interrupted) return;
  endTurn(state, { type: 'end', outcome: 'cancelled', text: state.lastText }, out);
}
