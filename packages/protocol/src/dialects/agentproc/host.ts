import { complaintOf, endingOf } from '../../agentproc-common/outcome.ts';
import { createPerTurnHost } from '../../contract/per-turn-host.ts';
import { isOnlyFrames } from '../../framing/frames-in-text.ts';
import { wasStopped } from '../../model/ending.ts';
import type { End, Event, Message } from '../../model/event.ts';
import type { Exit } from '../../model/exit.ts';
import { faultEvent, LINE_CUT, LINE_DROPPED } from '../../model/fault.ts';
import { launch } from './launch.ts';
import { addToReply, createReply, finishReply, type Reply } from './reply.ts';
import type { AgentprocSettings } from './settings.ts';
import { readLine, readPayload, sessionProblem } from './wire.ts';

const LINE_BYTES = 8 * 1024 * 1024;

/** The types of frames in wire 0.4. */
const LATER_TYPES = ['partial', 'result', 'error', 'permission_request'];

const FRAMES_AS_TEXT =
  'The reply is frames of AgentProc 0.4, which people see as JSON: the agent speaks the dialect agentproc/v4.';

/** A turn that is being read. */
interface AgentprocReading {
  readonly settings: AgentprocSettings;
  readonly body: Reply;
  readonly partials: Reply;
  /** A line has come. */
  begun: boolean;
  /** A body line has come, so the next one is preceded by a line feed. */
  bodyBegun: boolean;
  session: string;
  error: string | undefined;
  /** It was reported that partials go on after the error. */
  lateReported: boolean;
}

export const agentprocHost = createPerTurnHost<AgentprocSettings, AgentprocReading>({
  lineBytes: LINE_BYTES,
  launch,
  // A byte order mark is part of a body.
  keepsMark: true,
  prewarmProblem: () => 'this agent has the turn in its environment',
  opening: ({ text }, { stdin }) => ({ text: stdin === 'message' ? text : '' }),
  initial: (_turn, settings) => ({
    settings,
    body: createReply(settings.maxReplyChars),
    partials: createReply(settings.maxReplyChars),
    begun: false,
    bodyBegun: false,
    session: '',
    error: undefined,
    lateReported: false,
  }),
  line: readOutputLine,
  head: readHead,
  exit: finish,
});

function readOutputLine(state: AgentprocReading, given: string, out: Event[]): void {
  const line = state.begun ? given : withoutMark(given, state.settings.sessionLinePrefix);
  state.begun = true;
  const { kind, payload } = readLine(line, state.settings.sessionLinePrefix);
  switch (kind) {
    case 'session':
      return takeSession(state, payload, out);
    case 'partial':
      return takePartial(state, payload, out);
    case 'error':
      return takeError(state, payload, out);
    case 'body':
      takeBody(state, payload);
  }
}

/** A program that writes a byte order mark puts it in front of a protocol line, too. */
function withoutMark(line: string, sessionPrefix: string): string {
  const rest = line.startsWith('\uFEFF') ? line.slice(1) : line;
  return readLine(rest, sessionPrefix).kind === 'body' ? line : rest;
}

/** Keeps the beginning of a body line longer than `LINE_BYTES` and marks the body as cut, as for `maxReplyChars`. */
function readHead(state: AgentprocReading, head: string, out: Event[]): void {
  const { kind, payload } = readLine(head, state.settings.sessionLinePrefix);
  if (kind === 'body') {
    takeBody(state, payload);
    state.body.cut = true;
  }
  out.push(faultEvent('line-too-long', kind === 'body' ? LINE_CUT : LINE_DROPPED, head));
}

function takeBody(state: AgentprocReading, text: string): void {
  addToReply(state.body, state.bodyBegun ? `\n${text}` : text);
  state.bodyBegun = true;
}

/** The last valid id is kept, also in a turn that fails. */
function takeSession(state: AgentprocReading, id: string, out: Event[]): void {
  const problem = sessionProblem(id);
  if (problem !== undefined) {
    out.push(faultEvent('bad-session-id', problem, id));
  } else if (id !== state.session) {
    state.session = id;
    out.push({ type: 'session', id });
  }
}

function takePartial(state: AgentprocReading, payload: string, out: Event[]): void {
  if (!state.settings.streaming) return;
  if (state.error !== undefined) {
    if (!state.lateReported) out.push(faultEvent('late-frame', 'A partial came after the error.', payload));
    state.lateReported = true;
    return;
  }
  const text = takeText(payload, out);
  if (text === '') return;
  if (state.partials.cut) return;
  const added = addToReply(state.partials, text);
  // Once cut, the suffix is the last piece: together the pieces are the message that `replyOf` marks as streamed.
  const piece = state.partials.cut ? added + state.settings.truncationSuffix : added;
  if (piece !== '') out.push({ type: 'delta', kind: 'output', text: piece });
}

function takeError(state: AgentprocReading, payload: string, out: Event[]): void {
  if (state.error === undefined) state.error = takeText(payload, out);
  else out.push(faultEvent('late-frame', 'A turn fails once: the first error stands.', payload));
}

function takeText(payload: string, out: Event[]): string {
  const { text, fault } = readPayload(payload);
  if (fault !== undefined) out.push({ type: 'fault', fault });
  return text;
}

function finish(state: AgentprocReading, exit: Exit, out: Event[]): void {
  const reply = replyOf(state, exit);
  if (isOnlyFrames(state.body.text, LATER_TYPES))
    out.push(faultEvent('frames-as-text', FRAMES_AS_TEXT, state.body.text));
  if (reply !== undefined) out.push(reply);
  const complaint = complaintOf(exit, state.error);
  if (complaint !== undefined) out.push(complaint);
  const ending = endingOf(exit, state.error, { text: reply?.text ?? '' });
  const worded = state.error !== undefined && !wasStopped(exit);
  out.push(worded || state.settings.sendErrorReply ? ending : hushed(ending));
}

/**
 * The body is the reply, unless `AGENT_ERROR` has discarded it, or it is white space after partials. Without a body the
 * streamed partials are the reply: the user has seen them.
 */
function replyOf({ settings, body, partials, error }: AgentprocReading, exit: Exit): Message | undefined {
  const spaces = partials.text === '' ? body.text : body.text.trim();
  const hasBody = error === undefined && spaces !== '';
  const reply = hasBody ? body : partials;
  const stderr = settings.includeStderrInReply && error === undefined ? exit.stderr.trim() : '';
  const streamed = !hasBody && stderr === '';
  if (stderr !== '') addToReply(reply, reply.text === '' ? stderr : `\n\n${stderr}`);
  if (reply.text === '') return undefined;
  const text = finishReply(reply, settings.truncationSuffix);
  return { type: 'message', text, media: [], ...(streamed ? { streamed } : {}) };
}

/** With `told`, channels stay silent as if the user had been told; the operator still sees the failure. */
function hushed(end: End): End {
  return end.error === undefined ? end : { ...end, error: { ...end.error, told: true } };
}
