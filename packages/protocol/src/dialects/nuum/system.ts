import { show } from '../../framing/json.ts';
import type { Accepted, Ready, Task } from '../../model/event.ts';
import { faultEvent } from '../../model/fault.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { readToolResult } from './content.ts';
import {
  addContent,
  beginTurn,
  endForgotten,
  endStray,
  type NuumHostState,
  noteSession,
  noteTaken,
  type Out,
} from './conversation.ts';
import { readTask } from './tasks.ts';
import { stringOf } from './wire.ts';

type Reader = (state: NuumHostState, value: JsonObject, line: string, out: Out) => void;

/**
 * How each kind of system line is read. `progress` is our own addition; `status`, `interrupted` and `consolidation` are
 * other agents' words.
 */
const READERS: Readonly<Record<string, Reader>> = {
  init: readInit,
  turn_accepted: readAccepted,
  tool_result: (state, value, line, out) => addContent(state, readToolResult(value.tool_result, line), out),
  tasks: readTasks,
  queued: (_state, value, line, out) => {
    const position = value.position;
    if (typeof position === 'number') out.push({ type: 'queued', position });
    else out.push(faultEvent('malformed-frame', '`position` must be a number.', line));
  },
  injected: readInjected,
  error: (_state, value, _line, out) => {
    out.push({ type: 'complaint', message: stringOf(value.message) ?? 'The agent reports an error.' });
  },
  progress: (state, value, line, out) => {
    const text = stringOf(value.message);
    if (text === undefined) out.push(faultEvent('malformed-frame', '`message` must be a text.', line));
    else if (state.running) out.push({ type: 'progress', text });
    else out.push({ type: 'log', level: 'info', text, source: 'agent' });
  },
  status_response: readStatus,
  status: readStatus,
  heartbeat_ack: (_state, _value, _line, out) => {
    out.push({ type: 'heartbeat' });
  },
  interrupted: (state, value, line, out) => {
    state.interrupted = state.running;
    readAside(state, value, line, out);
  },
  consolidation: readAside,
};

/** Reads a system line. One of a kind that nobody has named is reported and changes nothing. */
export function readSystem(state: NuumHostState, value: JsonObject, line: string, out: Out): void {
  const subtype = stringOf(value.subtype) ?? '';
  const reader = Object.hasOwn(READERS, subtype) ? READERS[subtype] : undefined;
  if (reader !== undefined) reader(state, value, line, out);
  else out.push(faultEvent('unknown-frame', `Unknown system line ${show(value.subtype)}.`, line));
}

function readInit(state: NuumHostState, value: JsonObject, _line: string, out: Out): void {
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
  out.push(ready);
  noteSession(state, session, out);
}

function readAccepted(state: NuumHostState, value: JsonObject, line: string, out: Out): void {
  noteSession(state, value.session_id, out);
  endForgotten(state, out);
  endStray(state, line, out);
  if (state.running) {
    out.push(faultEvent('malformed-frame', 'A turn was announced before the last one had its result.', line));
    return;
  }
  const at = stringOf(value.timestamp);
  const accepted: Accepted = {
    type: 'accepted',
    ...(at === undefined ? {} : { at }),
    ...(isOrigin(value.origin) ? { origin: value.origin } : {}),
  };
  beginTurn(state, accepted, out);
}

function isOrigin(value: JsonValue | undefined): value is 'alarm' | 'task' {
  return value === 'alarm' || value === 'task';
}

function readTasks(state: NuumHostState, value: JsonObject, line: string, out: Out): void {
  noteSession(state, value.session_id, out);
  if (!Array.isArray(value.tasks)) {
    out.push(faultEvent('malformed-frame', '`tasks` must be a list.', line));
    return;
  }
  const tasks: Task[] = [];
  for (const entry of value.tasks as readonly JsonValue[]) {
    const task = readTask(entry);
    if (task !== undefined) tasks.push(task);
    else out.push(faultEvent('malformed-frame', 'A task needs `id` and `type`.', show(entry)));
  }
  out.push({ type: 'tasks', tasks });
}

function readInjected(state: NuumHostState, value: JsonObject, line: string, out: Out): void {
  const count = value.message_count;
  if (!Number.isSafeInteger(count) || typeof count !== 'number' || count < 1) {
    out.push(faultEvent('malformed-frame', '`message_count` must be a whole number, 1 or more.', line));
    return;
  }
  noteTaken(state, count);
  out.push({ type: 'steered', count });
}

function readStatus(state: NuumHostState, value: JsonObject, line: string, out: Out): void {
  const { running, session_id: session } = value;
  if (typeof running !== 'boolean') {
    out.push(faultEvent('malformed-frame', '`running` must be true or false.', line));
    return;
  }
  if (!running) endForgotten(state, out);
  out.push({ type: 'status', running, ...(typeof session === 'string' ? { session } : {}) });
}

/** Something the agent mentions beside the turn: for the operator. */
function readAside(_state: NuumHostState, value: JsonObject, _line: string, out: Out): void {
  const text = [value.subtype, value.summary].filter((part) => typeof part === 'string').join(': ');
  out.push({ type: 'log', level: 'info', text, source: 'agent' });
}
