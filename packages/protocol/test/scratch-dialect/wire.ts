import { type Fault, fault, isObject, type JsonObject, type JsonValue, parseJson } from '@plugboard/protocol';

/*
 * A JSON-RPC dialect for tests, with everything that real ones need: a handshake, sessions that are opened by a request,
 * prompts whose end is a response, questions in the other direction, and an interrupt that names its prompt.
 *
 *   host   → initialize, session/open {id?}, prompt {session, text, files, asks}, ping; ~ cancel {prompt}
 *   agent  → ask {prompt, question}; ~ update {prompt, event}, ~ ask/withdrawn {id}
 */

/** Codes of errors. */
export const BUSY = -32001;
export const NO_SESSION = -32002;
export const NO_METHOD = -32601;
export const FAILED = -32000;

export type Id = string | number;

export type Reading =
  | { readonly type: 'request'; readonly id: Id; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'result'; readonly id: Id; readonly result: JsonObject }
  | { readonly type: 'error'; readonly id: Id; readonly code: number; readonly message: string }
  | { readonly type: 'fault'; readonly fault: Fault };

/** Reads one line of either direction. */
export function readLine(line: string): Reading {
  const parsed = parseJson(line);
  if (!parsed.ok) return { type: 'fault', fault: parsed.fault };
  const { value } = parsed;
  if (!isObject(value)) return malformed('A line must be a JSON object.', line);
  const { id, method, params, result, error } = value;
  if (typeof method === 'string') {
    const given = isObject(params) ? params : {};
    return isId(id)
      ? { type: 'request', id, method, params: given }
      : { type: 'notification', method, params: given };
  }
  if (!isId(id)) return malformed('A line needs `method` or `id`.', line);
  if (!isObject(error)) return { type: 'result', id, result: isObject(result) ? result : {} };
  return {
    type: 'error',
    id,
    code: typeof error.code === 'number' ? error.code : 0,
    message: typeof error.message === 'string' ? error.message : 'The agent gave no reason.',
  };
}

function isId(value: JsonValue | undefined): value is Id {
  return typeof value === 'string' || typeof value === 'number';
}

function malformed(message: string, line: string): Reading {
  return { type: 'fault', fault: fault('malformed-frame', message, line) };
}

function write(value: JsonObject): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`;
}

export function request(id: Id, method: string, params: JsonObject): string {
  return write({ id, method, params });
}

export function notification(method: string, params: JsonObject): string {
  return write({ method, params });
}

export function result(id: Id, value: JsonObject): string {
  return write({ id, result: value });
}

export function errorResponse(id: Id, code: number, message: string): string {
  return write({ id, error: { code, message } });
}

export function stringOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
