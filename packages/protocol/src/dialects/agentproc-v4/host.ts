import { lostEnd } from '../../model/ending.ts';
import type { Event, Message, Usage } from '../../model/event.ts';
import type { Exit } from '../../model/exit.ts';
import { faultEvent } from '../../model/fault.ts';
import { createGathered, type Gathered, gather, takeGathered } from '../../model/gathered.ts';
import { complaintOf, endingOf } from '../agentproc/outcome.ts';
import type { OneShotHost } from '../dialect.ts';
import { launch, prewarms } from './launch.ts';
import { mayAsk, permissionLine, questionIn } from './permission.ts';
import { sessionProblem } from './session-id.ts';
import type { AgentprocV4Settings } from './settings.ts';
import { type Frame, readFrame } from './wire.ts';

const LINE_BYTES = 8 * 1024 * 1024;
const STREAMED_CHARS = 64 * 1024 * 1024;

/** What is known of a running turn. */
export interface AgentprocV4HostState {
  readonly settings: AgentprocV4Settings;
  readonly mayAsk: boolean;
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

export const agentprocV4Host: OneShotHost<AgentprocV4Settings, AgentprocV4HostState> = {
  resident: false,
  lineBytes: LINE_BYTES,
  launch,
  prewarms,
  initial: (turn, settings) => ({
    settings,
    mayAsk: mayAsk(turn, settings),
    streamed: createGathered(STREAMED_CHARS),
    reply: undefined,
    resulted: false,
    session: undefined,
    error: undefined,
    usage: undefined,
    lateReported: false,
    lost: false,
  }),
  step,
  stepHead(state) {
    state.lost = true;
    return false;
  },
  question: ({ mayAsk }, line) => (mayAsk ? questionIn(line) : undefined),
  permit: permissionLine,
  isOver: ({ resulted, error }) => resulted || error !== undefined,
  end,
};

function step(state: AgentprocV4HostState, line: string, out: Event[]): void {
  if (line.trim() === '') return;
  const reading = readFrame(line);
  if (reading.fault !== undefined) out.push({ type: 'fault', fault: reading.fault });
  if (!reading.ok) return;
  if (reading.session !== undefined) takeSession(state, reading.session, out);
  dispatch(state, reading.frame, line, out);
}

/** The first good id stands, also in a turn that fails. */
function takeSession(state: AgentprocV4HostState, id: string, out: Event[]): void {
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

function dispatch(state: AgentprocV4HostState, frame: Frame, line: string, out: Event[]): void {
  // What was used is worth knowing even of a frame that comes too late.
  if ('usage' in frame) state.usage ??= frame.usage;
  if (frame.type === 'permission_request') return reportRequest(state, frame.tool, out);
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

/** There is one result and one error; nothing is said after the error, and no piece of a result after it. */
function isLate({ error, resulted }: AgentprocV4HostState, { type }: Frame): boolean {
  return error !== undefined || (resulted && type !== 'error');
}

function reportLate(state: AgentprocV4HostState, { type }: Frame, line: string, out: Event[]): void {
  if (state.lateReported) return;
  state.lateReported = true;
  out.push(faultEvent('late-frame', `A ${type} came after the turn had been answered.`, line));
}

function takePartial(
  state: AgentprocV4HostState,
  { text, thinking }: { text: string; thinking: boolean },
  out: Event[],
): void {
  if (!state.settings.streaming || text === '') return;
  if (!thinking) gather(state.streamed, text);
  out.push({ type: 'delta', kind: thinking ? 'thinking' : 'output', text });
}

function reportRequest({ mayAsk }: AgentprocV4HostState, tool: string, out: Event[]): void {
  const text = mayAsk
    ? `The agent asks permission to use ${tool}.`
    : `The agent asks permission to use ${tool}, but was not offered to: nobody will answer.`;
  out.push({ type: 'log', level: 'warning', text, source: 'host' });
}

/** A host that has shown the partials does not show the result again; an empty result leaves them to be the reply. */
function reply(state: AgentprocV4HostState, result: string, out: Event[]): void {
  const streamed = takeGathered(state.streamed);
  const text = result === '' ? streamed : result;
  if (text === '') return;
  state.reply = text;
  const message: Message = { type: 'message', text, media: [] };
  out.push(streamed === '' ? message : { ...message, streamed: true });
}

function end(state: AgentprocV4HostState, exit: Exit, out: Event[]): void {
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
