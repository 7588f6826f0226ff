import type { HostEffect } from '../../contract/host-side.ts';
import { show } from '../../framing/json.ts';
import { stringOf } from '../../framing/narrow.ts';
import type { Accepted, Ready, Task } from '../../model/event.ts';
import { faultEvent } from '../../model/fault.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { readQuestion } from './asks.ts';
import { readToolResult } from './content.ts';
import {
  addContent,
  beginTurn,
  endForgotten,
  endStray,
  type NuumHostState,
  noteComplaint,
  noteHeartbeat,
  noteInjected,
  noteQuestion,
  noteQueued,
  noteSession,
  tell,
  withdrawQuestion,
} from './conversation.ts';
import { readTask } from './tasks.ts';

type Reader = (state: NuumHostState, value: JsonObject, line: string, out: HostEffect[]) => void;

/**
 * How each kind of system line is read. `progress` is our own addition; `status`, `interrupted` and `consolidation` are
 * other agents' words.
 */
const READERS: Readonly<Record<string, Reader>> = {
  init: readInit,
  turn_accepted: readAccepted,
  tool_result: (state, value, line, out) => addContent(state, readToolResult(value.tool_result, line), out),
  tasks: readTasks,
  queued: (state, value, line, out) => {
    const position = value.position;
    if (typeof position === 'number') noteQueued(state, position, out);
    else tell(state, faultEvent('malformed-frame', '`position` must be a number.', line), out);
  },
  injected: readInjected,
  error: (state, value, _line, out) =>
    noteComplaint(state, stringOf(value.message) ?? 'The agent reports an error.', out),
  progress: (state, value, line, out) => {
    const text = stringOf(value.message);
    if (text === undefined)
      tell(state, faultEvent('malformed-frame', '`message` must be a text.', line), out);
    else if (state.turn !== undefined) tell(state, { type: 'progress', text }, out);
    else tell(state, { type: 'log', level: 'info', text, source: 'agent' }, out);
  },
  permission_request: readAsk,
  permission_withdrawn: (state, value, _line, out) =>
    withdrawQuestion(state, stringOf(value.request_id) ?? '', out),
  status_response: readStatus,
  status: readStatus,
  heartbeat_ack: (state, _value, _line, out) => noteHeartbeat(state, out),
  interrupted: (state, value, line, out) => {
    if (state.turn !== undefined) state.turn.interrupted = true;
    readAside(state, value, line, out);
  },
  consolidation: readAside,
};

/** Reads a system line. An unknown `subtype` is reported as an `unknown-frame` fault and changes no state. */
export function readSystem(state: NuumHostState, value: JsonObject, line: string, out: HostEffect[]): void {
  const subtype = stringOf(value.subtype) ?? '';
  const reader = Object.hasOwn(READERS, subtype) ? READERS[subtype] : undefined;
  if (reader !== undefined) reader(state, value, line, out);
  else tell(state, faultEvent('unknown-frame', `Unknown system line ${show(value.subtype)}.`, line), out);
}

function readAsk(state: NuumHostState, value: JsonObject, line: string, out: HostEffect[]): void {
  const id = stringOf(value.request_id) ?? '';
  const question = readQuestion(value);
  if (id === '' || question === undefined) {
    const message = 'A question needs `request_id`, and `tool_name` or `question`.';
    tell(state, faultEvent('malformed-frame', message, line), out);
  } else noteQuestion(state, id, question, out);
}

function readInit(state: NuumHostState, value: JsonObject, _line: string, out: HostEffect[]): void {
  const { type: _type, subtype: _subtype, session_id, version, tools, model, ...details } = value;
  const session = stringOf(session_id);
  const ready: Ready = {
    type: 'ready',
    ...(session === undefined || session === '' ? {} : { session }),
    ...(typeof version === 'string' ? { version } : {}),
    ...(Array.isArray(tools) ? { tools: tools.filter((tool) => typeof tool === 'string') } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
  tell(state, ready, out);
  noteSession(state, session, out);
}

function readAccepted(state: NuumHostState, value: JsonObject, line: string, out: HostEffect[]): void {
  noteSession(state, value.session_id, out);
  endForgotten(state, out);
  endStray(state, line, out);
  if (state.turn !== undefined) {
    const message = 'A turn was announced before the last one had its result.';
    return tell(state, faultEvent('malformed-frame', message, line), out);
  }
  const at = stringOf(value.timestamp);
  const announced: Pick<Accepted, 'at' | 'origin'> = {
    ...(at === undefined ? {} : { at }),
    ...(isOrigin(value.origin) ? { origin: value.origin } : {}),
  };
  beginTurn(state, announced, out);
}

function isOrigin(value: JsonValue | undefined): value is 'alarm' | 'task' {
  return value === 'alarm' || value === 'task';
}

function readTasks(state: NuumHostState, value: JsonObject, line: string, out: HostEffect[]): void {
  noteSession(state, value.session_id, out);
  if (!Array.isArray(value.tasks)) {
    tell(state, faultEvent('malformed-frame', '`tasks` must be a list.', line), out);
    return;
  }
  const tasks: Task[] = [];
  for (const entry of value.tasks as readonly JsonValue[]) {
    const task = readTask(entry);
    if (task !== undefined) tasks.push(task);
    else tell(state, faultEvent('malformed-frame', 'A task needs `id` and `type`.', show(entry)), out);
  }
  tell(state, { type: 'tasks', tasks }, out);
}

function readInjected(state: NuumHostState, value: JsonObject, line: string, out: HostEffect[]): void {
  const count = value.message_count;
  if (!Number.isSafeInteger(count) || typeof count !== 'number' || count < 1) {
    const message = '`message_count` must be a whole number, 1 or more.';
    return tell(state, faultEvent('malformed-frame', message, line), out);
  }
  noteInjected(state, count, out);
}

function readStatus(state: NuumHostState, value: JsonObject, line: string, out: HostEffect[]): void {
  const { running, session_id: session } = value;
  if (typeof running !== 'boolean') {
    const message = '`running` must be true or false.';
    return tell(state, faultEvent('malformed-frame', message, line), out);
  }
  if (!running) endForgotten(state, out);
  out.push({ type: 'probed', probe: 'status', running, ...(typeof session === 'string' ? { session } : {}) });
}

/** Logs a remark of the agent (`consolidation`, `interrupted`) for the operator. */
function readAside(state: NuumHostState, value: JsonObject, _line: string, out: HostEffect[]): void {
  const text = [value.subtype, value.summary].filter((part) => typeof part === 'string').join(': ');
  tell(state, { type: 'log', level: 'info', text, source: 'agent' }, out);
}
