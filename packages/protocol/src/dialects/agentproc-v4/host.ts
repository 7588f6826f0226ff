import { complaintOf, endingOf } from '../../agentproc-common/outcome.ts';
import type { HostEffect } from '../../contract/host-side.ts';
import { createPerTurnHost } from '../../contract/per-turn-host.ts';
import { lostEnd } from '../../model/ending.ts';
import type { Event, Message, Usage } from '../../model/event.ts';
import type { Exit } from '../../model/exit.ts';
import { faultEvent, LINE_DROPPED } from '../../model/fault.ts';
import { createGathered, type Gathered, gather, takeGathered } from '../../model/gathered.ts';
import { permissionQuestion, type Question } from '../../model/question.ts';
import { launch, opening, prewarmProblem } from './launch.ts';
import { mayAsk, permissionLine } from './permission.ts';
import { sessionProblem } from './session-id.ts';
import type { AgentprocV4Settings } from './settings.ts';
import { type Frame, readFrame } from './wire.ts';

const LINE_BYTES = 8 * 1024 * 1024;
const STREAMED_CHARS = 64 * 1024 * 1024;

/** A turn that is being read. */
interface AgentprocV4Reading {
  readonly id: string;
  readonly settings: AgentprocV4Settings;
  /** Questions without an answer, by id; undefined where the agent was not offered to ask. */
  readonly asks: Map<string, Question> | undefined;
  inputClosed: boolean;
  /** The output that was passed on piece by piece. */
  readonly streamed: Gathered;
  /** The reply that was passed on as a message. */
  reply: string | undefined;
  resulted: boolean;
  session: string | undefined;
  error: string | undefined;
  usage: Usage | undefined;
  lateReported: boolean;
  /** A frame was too long to be read. */
  lost: boolean;
}

export const agentprocV4Host = createPerTurnHost<AgentprocV4Settings, AgentprocV4Reading>({
  lineBytes: LINE_BYTES,
  launch,
  prewarmProblem,
  opening,
  initial: (turn, settings) => ({
    id: turn.id,
    settings,
    asks: mayAsk(turn, settings) ? new Map() : undefined,
    inputClosed: false,
    streamed: createGathered(STREAMED_CHARS),
    reply: undefined,
    resulted: false,
    session: undefined,
    error: undefined,
    usage: undefined,
    lateReported: false,
    lost: false,
  }),
  line(state, line, out, effects) {
    if (line.trim() === '') return;
    const reading = readFrame(line);
    if (reading.fault !== undefined) out.push({ type: 'fault', fault: reading.fault });
    if (!reading.ok) return;
    if (reading.session !== undefined) takeSession(state, reading.session, out);
    if (reading.frame.type === 'permission_request') ask(state, reading.frame, line, out, effects);
    else dispatch(state, reading.frame, line, out);
    closeInput(state, effects);
  },
  head(state, head, out) {
    state.lost = true;
    out.push(faultEvent('line-too-long', LINE_DROPPED, head));
  },
  answer({ asks }, askId, answer, effects) {
    const question = asks?.get(askId);
    if (question === undefined) return;
    asks?.delete(askId);
    effects.push({ type: 'write', text: permissionLine(askId, question, answer) });
  },
  withdraw: withdrawAll,
  exit: finish,
});

type PermissionRequest = Frame & { type: 'permission_request' };

/** Without an offer (`asks` undefined) the question gets no answer. An open `askId` cannot name a second question. */
function ask(
  state: AgentprocV4Reading,
  frame: PermissionRequest,
  line: string,
  out: Event[],
  effects: HostEffect[],
): void {
  const { id: turnId, asks } = state;
  const { id: askId, tool, input } = frame;
  if (asks === undefined) {
    const text = `The agent asks permission to use ${tool}, but was not offered to: nobody will answer.`;
    out.push({ type: 'log', level: 'warning', text, source: 'host' });
    return;
  }
  if (state.inputClosed) return reportLate(state, frame, line, out);
  if (asks.has(askId)) {
    out.push(faultEvent('malformed-frame', 'A question with this `request_id` is open already.', line));
    return;
  }
  const question = permissionQuestion(tool, input);
  asks.set(askId, question);
  effects.push({ type: 'ask', askId, turnId, question });
}

/** After its `result` or `error` the agent asks no more: input that was kept open for answers is closed. */
function closeInput(state: AgentprocV4Reading, effects: HostEffect[]): void {
  if (state.inputClosed || state.asks === undefined) return;
  if (!state.resulted && state.error === undefined) return;
  state.inputClosed = true;
  withdrawAll(state, effects);
  effects.push({ type: 'close-input' });
}

function withdrawAll({ asks }: AgentprocV4Reading, effects: HostEffect[]): void {
  for (const askId of asks?.keys() ?? []) effects.push({ type: 'withdraw', askId });
  asks?.clear();
}

/** The first valid id is kept, also in a turn that fails. */
function takeSession(state: AgentprocV4Reading, id: string, out: Event[]): void {
  if (id === state.session) return;
  const problem =
    state.session === undefined ? sessionProblem(id) : 'The session id has changed: the first one stands.';
  if (problem !== undefined) {
    out.push(faultEvent('bad-session-id', problem, id));
    return;
  }
  state.session = id;
  out.push({ type: 'session', id });
}

function dispatch(
  state: AgentprocV4Reading,
  frame: Exclude<Frame, PermissionRequest>,
  line: string,
  out: Event[],
): void {
  // The `usage` of a late frame is kept, although the frame is dropped.
  if ('usage' in frame) state.usage ??= frame.usage;
  if (isLate(state, frame)) return reportLate(state, frame, line, out);
  switch (frame.type) {
    case 'partial':
      return takePartial(state, frame, out);
    case 'result':
      state.resulted = true;
      return reply(state, frame.text, out);
    case 'error':
      state.error = frame.message;
  }
}

/** After an `error` every frame is late; after a `result` every frame but an `error` is late. */
function isLate({ error, resulted }: AgentprocV4Reading, { type }: Frame): boolean {
  return error !== undefined || (resulted && type !== 'error');
}

function reportLate(state: AgentprocV4Reading, { type }: Frame, line: string, out: Event[]): void {
  if (state.lateReported) return;
  state.lateReported = true;
  out.push(faultEvent('late-frame', `A ${type} came after the turn had been answered.`, line));
}

function takePartial(
  state: AgentprocV4Reading,
  { text, thinking }: { text: string; thinking: boolean },
  out: Event[],
): void {
  if (!state.settings.streaming || text === '') return;
  if (!thinking) gather(state.streamed, text);
  out.push({ type: 'delta', kind: thinking ? 'thinking' : 'output', text });
}

/**
 * A message with `streamed` tells readers that the partials have shown it. An empty `result` leaves the partials as the
 * reply.
 */
function reply(state: AgentprocV4Reading, result: string, out: Event[]): void {
  const streamed = takeGathered(state.streamed);
  const text = result === '' ? streamed : result;
  if (text === '') return;
  state.reply = text;
  const message: Message = { type: 'message', text, media: [] };
  out.push(streamed === '' ? message : { ...message, streamed: true });
}

function finish(state: AgentprocV4Reading, exit: Exit, out: Event[]): void {
  reply(state, '', out);
  const complaint = complaintOf(exit, state.error);
  if (complaint !== undefined) out.push(complaint);
  if (state.lost && state.reply === undefined && state.error === undefined && exit.exitCode === 0) {
    out.push(lostEnd(exit, LINE_BYTES));
    return;
  }
  const usage = state.usage === undefined ? {} : { usage: state.usage };
  out.push(endingOf(exit, state.error, { text: state.reply ?? '', ...usage }));
}
