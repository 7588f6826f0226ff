import { isObject, parseJson, repeatsKey } from '../../framing/json.ts';
import { readUsage } from '../../framing/usage.ts';
import type { Usage } from '../../model/event.ts';
import { type Fault, type FaultCode, fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';

export const VERSION = '0.4';

/** The JSON line by which a host hands over a turn. */
export interface TurnLine {
  readonly type: 'turn';
  readonly message: string;
  readonly session_id: string;
  readonly protocol_version: string;
  readonly session_name?: string;
  readonly attachments?: readonly { readonly kind: string; readonly url: string; readonly name?: string }[];
  readonly permission?: true;
}

/** A frame on the agent's stdout. The wire has these four values of `type`. */
export type Frame =
  | { readonly type: 'partial'; readonly text: string; readonly thinking: boolean }
  | { readonly type: 'result'; readonly text: string; readonly usage?: Usage }
  | { readonly type: 'error'; readonly message: string; readonly usage?: Usage }
  | {
      readonly type: 'permission_request';
      readonly id: string;
      readonly tool: string;
      readonly input: JsonObject;
    };

/** A line is a frame, or the fault for which it is dropped; `session` is the id it carries, not yet checked. */
export type Reading =
  | { readonly ok: true; readonly frame: Frame; readonly session?: string; readonly fault?: Fault }
  | { readonly ok: false; readonly fault: Fault };

/** Reads one line of stdout. */
export function readFrame(line: string): Reading {
  // Plain text would make `JSON.parse` throw for each line, which is slow.
  if (!/^\s*\{/.test(line)) return dropped('invalid-json', 'The line is not a JSON object.', line);
  const parsed = parseJson(line);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (!isObject(value)) return dropped('invalid-json', 'The line is not a JSON object.', line);
  if (repeatsKey(line, 'type')) return dropped('duplicate-key', 'The frame says its `type` twice.', line);
  const reading = readKnown(value, line);
  const session = value.session_id;
  return reading.ok && typeof session === 'string' && session !== '' ? { ...reading, session } : reading;
}

function readKnown(value: JsonObject, line: string): Reading {
  switch (value.type) {
    case 'partial':
      return readText(value, line, { type: 'partial', thinking: value.role === 'thinking' });
    case 'result':
      return readText(value, line, { type: 'result', ...usageIn(value) });
    case 'error':
      return readError(value, line);
    case 'permission_request':
      return readRequest(value, line);
    default:
      return dropped('unknown-frame', 'The `type` of the frame is not known.', line);
  }
}

type Wordless = Omit<Frame & { type: 'partial' }, 'text'> | Omit<Frame & { type: 'result' }, 'text'>;

/** A frame without `text` is read with empty text: its `session_id` and `usage` still count, as in npm agentproc. */
function readText({ text }: JsonObject, line: string, frame: Wordless): Reading {
  if (typeof text === 'string') return known({ ...frame, text });
  const complaint = fault('malformed-frame', '`text` must be a string.', line);
  return { ok: true, frame: { ...frame, text: '' }, fault: complaint };
}

/** An `error` fails the turn even without a `message`. */
function readError(value: JsonObject, line: string): Reading {
  const usage = usageIn(value);
  if (typeof value.message === 'string') return known({ type: 'error', message: value.message, ...usage });
  const complaint = fault('malformed-frame', '`message` must be a string.', line);
  return { ok: true, frame: { type: 'error', message: '', ...usage }, fault: complaint };
}

/** Only `request_id` is required, so that as many requests as possible get an answer. */
function readRequest({ request_id: id, tool_name, input }: JsonObject, line: string): Reading {
  if (typeof id !== 'string' || id === '' || /[\s\p{Cc}]/u.test(id)) {
    return dropped('malformed-frame', '`request_id` must be a string without white space.', line);
  }
  const tool = typeof tool_name === 'string' ? tool_name : 'a tool';
  return known({ type: 'permission_request', id, tool, input: isObject(input) ? input : {} });
}

function usageIn(value: JsonObject): { usage?: Usage } {
  const usage = readUsage(value.usage);
  return usage === undefined ? {} : { usage };
}

function known(frame: Frame): Reading {
  return { ok: true, frame };
}

function dropped(code: FaultCode, message: string, line: string): Reading {
  return { ok: false, fault: fault(code, message, line) };
}
