import { eventsOf, type HostEffect } from '../../contract/host-side.ts';
import { endOf, stoppedEnd, wasStopped } from '../../model/ending.ts';
import type { End, Failure } from '../../model/event.ts';
import { type Exit, exitFailure } from '../../model/exit.ts';
import type { Turn } from '../../model/turn.ts';
import { writeTurn } from './message.ts';
import { setChosen, setMcpServers } from './options.ts';
import { type ClaudeHostState, callClaude, currentTurn, type SentInput, tell } from './state.ts';
import { createUuid } from './wire.ts';

/** Writes a message, or holds it while it is open whether the program reports the fate of a second line. */
export function send(state: ClaudeHostState, turn: Turn, out: HostEffect[]): void {
  if (state.ended) out.push({ type: 'input', inputId: turn.id, state: 'returned' });
  else if (state.failure !== undefined) failUnsent(state.failure, turn, out);
  else if (canWrite(state)) give(state, turn, out);
  else state.held.push(turn);
}

function canWrite({ isLost, reportsInputs, turn, sent }: ClaudeHostState): boolean {
  return !isLost && (reportsInputs || (turn === undefined && sent.length === 0));
}

function give(state: ClaudeHostState, turn: Turn, out: HostEffect[]): void {
  if (state.written === 0) state.resumed = turn.session.agentId;
  const uuid = createUuid(state.nonce, ++state.written);
  setChosen(state, turn, out);
  setMcpServers(state, turn, out);
  out.push({ type: 'input', inputId: turn.id, state: 'given' });
  out.push({ type: 'write', text: writeTurn(turn, uuid) });
  state.sent.push({ id: turn.id, uuid, wanted: true, cancelled: false, stopping: false });
}

function giveHeld(state: ClaudeHostState, out: HostEffect[]): void {
  while (state.held.length > 0 && canWrite(state)) {
    const turn = state.held.shift();
    if (turn !== undefined) give(state, turn, out);
  }
}

/** Reads `command_lifecycle`, the fate of a line. A line of an earlier process, or one that has ended, is ignored. */
export function noteFate(state: ClaudeHostState, uuid: string, fate: string, out: HostEffect[]): void {
  state.reportsInputs = true;
  const at = state.sent.findIndex((input) => input.uuid === uuid);
  if (at !== -1 && fate !== 'queued') {
    const [input] = state.sent.splice(at, 1);
    if (input !== undefined) settle(state, input, fate, out);
  } else if (at > 0 || (at === 0 && state.turn !== undefined)) {
    const waiting = state.sent.slice(0, at + 1).filter(({ wanted }) => wanted);
    const input = state.sent[at];
    if (input?.wanted === true)
      tell(state, { type: 'queued', position: waiting.length, input: input.id }, out);
  }
  giveHeld(state, out);
}

function settle(state: ClaudeHostState, input: SentInput, fate: string, out: HostEffect[]): void {
  if (fate === 'started') return takeInput(state, input, out);
  if (fate === 'cancelled') return endUnbegun(input, { type: 'end', outcome: 'cancelled', text: '' }, out);
  const isAlone = state.turn === undefined;
  takeInput(state, input, out);
  if (isAlone) endTurn(state, { type: 'end', outcome: 'success', text: '' }, out);
}

/** A turn has taken the line: the running one, else one that begins now. */
function takeInput(state: ClaudeHostState, input: SentInput, out: HostEffect[]): void {
  const { turn } = state;
  if (turn === undefined || (turn.muted && input.wanted)) return beginTurn(state, input, out);
  if (!input.wanted) return;
  if (input.cancelled) return endUnbegun(input, { type: 'end', outcome: 'cancelled', text: '' }, out);
  out.push({ type: 'input', inputId: input.id, state: 'taken', turnId: turn.id });
  tell(state, { type: 'steered', inputs: [input.id] }, out);
}

/** Begins the turn of `input`, or a turn that the program begins by itself, for example after a background task. */
export function beginTurn(state: ClaudeHostState, input: SentInput | undefined, out: HostEffect[]): void {
  const id = input?.id ?? `own-${++state.ownTurns}`;
  const muted = input?.wanted === false;
  state.turn = { id, muted, interrupted: false, lastText: '', synthetic: undefined };
  state.block = undefined;
  if (input === undefined) tell(state, { type: 'accepted', origin: 'task' }, out);
  else if (!muted) {
    out.push({ type: 'input', inputId: id, state: 'taken', turnId: id });
    tell(state, { type: 'accepted', inputs: [id] }, out);
  }
  if (muted || input?.stopping === true) stopTurn(state, 'timeout', out);
}

/** An `init` line. A program that does not report the fate of lines begins the oldest one with it. */
export function noteInit(state: ClaudeHostState, uuids: readonly string[], out: HostEffect[]): void {
  if (state.turn !== undefined) return;
  const named = state.sent.findIndex(({ uuid }) => uuids.includes(uuid));
  const at = named === -1 && !state.reportsInputs ? 0 : named;
  const input = at === -1 ? undefined : state.sent.splice(at, 1)[0];
  beginTurn(state, input, out);
}

/** Ends the running turn. */
export function endTurn(state: ClaudeHostState, end: End, out: HostEffect[]): void {
  const { turn } = state;
  if (turn === undefined) return;
  for (const askId of state.asks.keys()) out.push({ type: 'withdraw', askId });
  state.asks.clear();
  tell(state, end, out);
  state.turn = undefined;
  state.block = undefined;
  state.isProven = true;
  if (!state.ended) giveHeld(state, out);
}

/**
 * Asks the program to stop. With `cancel`, the lines that it has not begun are given up with the turn; with `timeout`
 * they are still answered.
 */
export function interrupt(
  state: ClaudeHostState,
  turnId: string | undefined,
  cause: 'cancel' | 'timeout',
  out: HostEffect[],
): void {
  const target = turnId ?? currentTurn(state);
  if (target === undefined || state.ended) return;
  if (state.turn?.id !== target) return withdrawInput(state, target, cause, out);
  if (cause === 'cancel') giveUp(state, state.sent, target, out);
  stopTurn(state, cause, out);
}

function stopTurn(state: ClaudeHostState, cause: 'cancel' | 'timeout', out: HostEffect[]): void {
  if (state.turn !== undefined) state.turn.interrupted = true;
  const request = { subtype: 'interrupt', ...(cause === 'cancel' ? { cancel_queued: true } : {}) };
  callClaude(state, { type: 'interrupt' }, request, out);
}

/** Reports lines, and messages that are `held`, as `taken` by a cancelled turn. */
function giveUp(
  state: ClaudeHostState,
  inputs: readonly SentInput[],
  turnId: string,
  out: HostEffect[],
): void {
  for (const input of inputs) {
    if (!input.wanted || input.cancelled) continue;
    input.wanted = false;
    out.push({ type: 'input', inputId: input.id, state: 'taken', turnId });
  }
  for (const { id: inputId } of state.held.splice(0)) {
    out.push({ type: 'input', inputId, state: 'given' });
    out.push({ type: 'input', inputId, state: 'taken', turnId });
  }
}

/** Takes back a line whose turn has not begun. */
function withdrawInput(
  state: ClaudeHostState,
  target: string,
  cause: 'cancel' | 'timeout',
  out: HostEffect[],
): void {
  const { held, sent, turn } = state;
  const at = held.findIndex(({ id }) => id === target);
  if (at !== -1) {
    held.splice(at, 1);
    out.push({ type: 'input', inputId: target, state: 'given' });
    return endInput(target, { type: 'end', outcome: 'cancelled', text: '' }, out);
  }
  const input = sent.find(({ id, wanted }) => id === target && wanted);
  if (input === undefined) return;
  input.stopping = true;
  const isNext = turn === undefined && sent.find(({ wanted }) => wanted) === input;
  const later = sent.slice(sent.indexOf(input) + 1);
  if (cause === 'cancel' && isNext) {
    input.cancelled = true;
    giveUp(state, later, target, out);
  }
  for (const { uuid } of cause === 'cancel' && isNext ? [input, ...later] : [input])
    callClaude(state, { type: 'cancel-input', uuid }, cancelRequest(uuid), out);
}

function cancelRequest(uuid: string): { subtype: string; message_uuid: string } {
  return { subtype: 'cancel_async_message', message_uuid: uuid };
}

/** Ends an input that begins no turn of the program. */
function endUnbegun(input: SentInput, end: End, out: HostEffect[]): void {
  if (input.wanted) endInput(input.id, end, out);
}

function endInput(inputId: string, end: End, out: HostEffect[]): void {
  out.push({ type: 'input', inputId, state: 'taken', turnId: inputId });
  eventsOf(out, inputId).push(end);
}

/** Ends what was sent, and all that is sent later: the process is of no use. */
export function failProcess(state: ClaudeHostState, failure: Failure, out: HostEffect[]): void {
  if (state.failure !== undefined || state.ended) return;
  state.failure = failure;
  out.push({ type: 'close-input' });
  for (const input of state.sent.splice(0)) endUnbegun(input, failedEnd(failure), out);
  for (const turn of state.held.splice(0)) failUnsent(failure, turn, out);
}

function failUnsent(failure: Failure, { id }: Turn, out: HostEffect[]): void {
  out.push({ type: 'input', inputId: id, state: 'given' });
  endInput(id, failedEnd(failure), out);
}

function failedEnd(error: Failure): End {
  return { type: 'end', outcome: 'error', text: '', error };
}

/**
 * The program does not know the session that it was to go on with, and exits. The host sends the message to a process
 * without that session.
 */
export function loseSession(state: ClaudeHostState, id: string, out: HostEffect[]): void {
  state.isLost = true;
  for (const input of state.sent.splice(0)) returnInput(input, id, out);
}

function returnInput(input: SentInput, lostSession: string | undefined, out: HostEffect[]): void {
  if (input.cancelled) return endUnbegun(input, { type: 'end', outcome: 'cancelled', text: '' }, out);
  if (!input.wanted) return;
  const lost = lostSession === undefined ? {} : { lostSession };
  out.push({ type: 'input', inputId: input.id, state: 'returned', ...lost });
}

/**
 * The process has ended, and with it the running turn. A line that was not begun is `returned` when this process has
 * ended a turn before, because a new process may succeed as well. In the first turn the exit is the answer.
 */
export function exit(state: ClaudeHostState, how: Exit, out: HostEffect[]): void {
  if (state.ended) return;
  state.ended = true;
  const { isProven, turn } = state;
  if (turn !== undefined) endTurn(state, endBy(how, turn.lastText), out);
  else if (!isProven || wasStopped(how)) {
    const input = state.sent.find(({ wanted }) => wanted);
    if (input !== undefined) state.sent.splice(state.sent.indexOf(input), 1);
    if (input !== undefined) endUnbegun(input, endBy(how, ''), out);
  }
  for (const input of state.sent.splice(0)) returnInput(input, undefined, out);
  for (const { id } of state.held.splice(0)) out.push({ type: 'input', inputId: id, state: 'returned' });
}

function endBy(how: Exit, text: string): End {
  if (wasStopped(how)) return stoppedEnd(how, text);
  const failure = exitFailure(how);
  const message = 'Claude Code ended before it answered.';
  return endOf(how, 'error', { text, error: how.exitCode === 0 ? { ...failure, message } : failure });
}
