import { failureOf } from '../../model/ending.ts';
import type { Accepted, End, Event, Message, Ready, ToolResult } from '../../model/event.ts';
import { createPreview, type Gathered, gatherDelta, takeGathered } from '../../model/gathered.ts';
import type { JsonObject } from '../../model/json.ts';
import { writtenOut } from '../../model/media.ts';
import { planText } from '../../model/plan.ts';
import { writeTask } from './tasks.ts';
import { writeLine } from './wire.ts';

/** The state needed to encode events as lines. */
export interface SayingState {
  /** The agent's identity, on most lines. */
  session: string;
  /** The model that assistant lines name. */
  model: string;
  /** Deltas of a message that has not come yet. */
  readonly preview: Gathered;
  /** The last message of this turn, and how it was written. */
  said: { readonly text: string; readonly written: string } | undefined;
  /** Assistant lines of this turn that called a tool. */
  callingLines: number;
}

/** The state before the agent has reported its session in `ready`. */
export function createSaying(): SayingState {
  return { session: '', model: 'plugboard', preview: createPreview(), said: undefined, callingLines: 0 };
}

/** The line that says an event. Keys have the order of the protocol's examples. */
export function say(state: SayingState, event: Event): string {
  switch (event.type) {
    case 'ready':
      return sayReady(state, event);
    case 'session':
      state.session = event.id;
      return '';
    case 'accepted':
      return sayAccepted(state, event);
    case 'delta':
      if (event.kind === 'output') gatherDelta(state.preview, event);
      return '';
    case 'message':
      return sayMessage(state, event);
    case 'progress':
      return saySystem('progress', { message: event.text, session_id: state.session });
    case 'plan':
      return saySystem('progress', { message: planText(event), session_id: state.session });
    case 'tool-call':
      state.callingLines++;
      return sayAssistant(state, { type: 'tool_use', id: event.id, name: event.name, input: event.input });
    case 'tool-result':
      return saySystem('tool_result', { tool_result: toolResult(event) });
    case 'tasks':
      return saySystem('tasks', { tasks: event.tasks.map(writeTask), session_id: state.session });
    case 'queued':
      return saySystem('queued', { position: event.position });
    case 'steered':
      return event.inputs.length === 0 ? '' : saySystem('injected', { message_count: event.inputs.length });
    case 'end':
      return sayEnd(state, event);
    default:
      return '';
  }
}

/** A system line of any kind. */
export function saySystem(subtype: string, fields: JsonObject): string {
  return writeLine({ type: 'system', subtype, ...fields });
}

function sayReady(state: SayingState, { session, version, tools, model, details }: Ready): string {
  state.session = session ?? state.session;
  state.model = model ?? state.model;
  return saySystem('init', { session_id: state.session, version, tools: tools ?? [], model, ...details });
}

function sayAccepted(state: SayingState, { at, origin }: Accepted): string {
  return saySystem('turn_accepted', { session_id: state.session, timestamp: at, origin });
}

/** The wire has no field for files: `writtenOut` appends their addresses to the text. */
function sayMessage(state: SayingState, message: Message): string {
  takeGathered(state.preview);
  state.said = { text: message.text, written: writtenOut(message) };
  return sayAssistant(state, { type: 'text', text: state.said.written });
}

function sayAssistant(state: SayingState, block: JsonObject): string {
  const message = { role: 'assistant', content: [block], model: state.model };
  return writeLine({ type: 'assistant', message, session_id: state.session });
}

function toolResult({ id, content, isError }: ToolResult): JsonObject {
  return { type: 'tool_result', tool_use_id: id, content, ...(isError ? { is_error: true } : {}) };
}

/** A host may read only the `result`, so it repeats the last message with the addresses of its files. */
function answerOf({ said }: SayingState, { text }: End): string {
  return said !== undefined && said.text === text ? said.written : text;
}

/** Deltas without a following message are written as a message. `num_turns` is at least 1. */
function sayEnd(state: SayingState, end: End): string {
  const unfinished = takeGathered(state.preview);
  const isError = end.outcome === 'error' || end.outcome === 'timeout';
  const result = writeLine({
    type: 'result',
    subtype: isError ? 'error' : end.outcome,
    duration_ms: end.durationMs ?? 0,
    is_error: isError,
    num_turns: Math.max(1, state.callingLines),
    session_id: state.session,
    result: isError ? failureOf(end) : answerOf(state, end) || unfinished,
    usage: end.usage,
  });
  state.callingLines = 0;
  state.said = undefined;
  return (unfinished === '' ? '' : sayAssistant(state, { type: 'text', text: unfinished })) + result;
}
