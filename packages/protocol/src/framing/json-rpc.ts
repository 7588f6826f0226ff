import { type Fault, fault } from '../model/fault.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { isObject, jsonLine, parseJson } from './json.ts';

/** The id of a request. An answer must repeat it with its JSON type. The ids of the two directions are independent. */
type RpcId = string | number | null;

/** The code that JSON-RPC reserves for a request that cannot be served as it is. */
export const INVALID_REQUEST = -32600;

/** The code that JSON-RPC reserves for errors of the other side. */
export const INTERNAL_ERROR = -32603;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

/** One line of JSON-RPC, from either side. `params` that are no object are empty. */
export type RpcMessage =
  | { readonly type: 'request'; readonly id: RpcId; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'result'; readonly id: RpcId; readonly result: JsonValue }
  | { readonly type: 'error'; readonly id: RpcId; readonly error: RpcError }
  | { readonly type: 'fault'; readonly fault: Fault };

/** Reads one line. The field `jsonrpc` may be absent. */
export function readRpc(line: string): RpcMessage {
  const parsed = parseJson(line);
  if (!parsed.ok) return { type: 'fault', fault: parsed.fault };
  const { value } = parsed;
  if (!isObject(value)) return malformed('A JSON-RPC message must be an object.', line);
  const { id, method, params, result, error } = value;
  if (method !== undefined) {
    if (typeof method !== 'string') return malformed('A `method` must be a string.', line);
    const given = isObject(params) ? params : {};
    if (id === undefined) return { type: 'notification', method, params: given };
    return isId(id)
      ? { type: 'request', id, method, params: given }
      : malformed('An `id` must be a string, a number or null.', line);
  }
  if (!isId(id)) return malformed('A JSON-RPC message needs `method` or `id`.', line);
  if (error === undefined) return { type: 'result', id, result: result ?? null };
  return { type: 'error', id, error: errorOf(error) };
}

function isId(value: JsonValue | undefined): value is RpcId {
  return typeof value === 'string' || typeof value === 'number' || value === null;
}

function errorOf(value: JsonValue): RpcError {
  const { code, message, data } = isObject(value) ? value : { message: value };
  return {
    code: typeof code === 'number' ? code : INTERNAL_ERROR,
    message: typeof message === 'string' ? message : 'No reason was given.',
    ...(data === undefined ? {} : { data }),
  };
}

function malformed(message: string, line: string): RpcMessage {
  return { type: 'fault', fault: fault('malformed-frame', message, line) };
}

/** Fields with plain values, and the key after them. The content of a message may be any other key, in any order. */
const HEAD = /^\s*\{((?:\s*"[^"\\]*"\s*:\s*(?:"[^"\\]*"|-?\d+|null)\s*,)*)\s*"([^"\\]*)"\s*:/;

/** A method name, an id and the version take less. A longer text would make `HEAD` slow. */
const HEAD_LENGTH = 1000;

/**
 * Reads the beginning of a message whose end was dropped: the request that waits for an answer, or the answer that will
 * not come again. Undefined for a notification, and where the id stands behind the content.
 */
export function readRpcHead(
  text: string,
): { readonly type: 'request' | 'answer'; readonly id: RpcId } | undefined {
  const [, fields = '', next = ''] = HEAD.exec(text.slice(0, HEAD_LENGTH)) ?? [];
  const parsed = parseJson(`{${fields.trimEnd().slice(0, -1)}}`);
  const { id, method } = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  if (!isId(id)) return undefined;
  if (method !== undefined || next === 'method' || next === 'params') return { type: 'request', id };
  return next === 'result' || next === 'error' ? { type: 'answer', id } : undefined;
}

/** Writes the lines of one side. */
export interface RpcWriter {
  request(id: RpcId, method: string, params: JsonObject): string;
  notification(method: string, params: JsonObject): string;
  result(id: RpcId, result: JsonValue): string;
  error(id: RpcId, error: RpcError): string;
}

/** `header` stands first in each line, for example `{ jsonrpc: '2.0' }`. */
export function createRpcWriter(header: JsonObject): RpcWriter {
  const write = (fields: JsonObject): string => jsonLine({ ...header, ...fields });
  return {
    request: (id, method, params) => write({ id, method, params }),
    notification: (method, params) => write({ method, params }),
    result: (id, result) => write({ id, result }),
    error: (id, { code, message, data }) =>
      write({ id, error: { code, message, ...(data === undefined ? {} : { data }) } }),
  };
}
