import { isObject, parseJson, repeatsKey, show } from '../../framing/json.ts';
import { jsonInText } from '../../framing/json-in-text.ts';
import { failureOf } from '../../model/ending.ts';
import type { End } from '../../model/event.ts';
import { type Fault, type FaultCode, fault } from '../../model/fault.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { operationNamed } from './operations.ts';

/** The parsed answer of an agent. A `fault` reports an answer that violates the protocol. */
export type Response =
  | {
      readonly ok: true;
      readonly text: string;
      readonly data?: JsonObject;
      readonly files?: readonly string[];
    }
  | { readonly ok: false; readonly message: string; readonly fault?: Fault };

/** Reads the whole stdout of a pipe operation that exited 0. Keys it does not know are ignored. */
export function readResponse(source: string, operation: string): Response {
  if (source.trim() === '') return invalid('The agent exited without an answer.', source);
  const parsed = parseJson(source);
  if (!parsed.ok) {
    const message = `The answer of the agent cannot be read. ${parsed.fault.message}`;
    return { ok: false, message, fault: parsed.fault };
  }
  const value = parsed.value;
  if (!isObject(value) || typeof value.type !== 'string') {
    return invalid('The answer of the agent is not a JSON object with a `type`.', source);
  }
  if (repeatsKey(source, 'type')) {
    return invalid('The answer of the agent says its `type` twice.', source, 'duplicate-key');
  }
  if (value.type === 'error') return readError(value, source);
  if (value.type === 'success') return readSuccess(value, source, operation);
  return invalid(`The answer of the agent has the unknown type ${show(value.type)}.`, source);
}

/** The `error` that a failing agent wrote to stdout, if any. */
export function errorIn(source: string): string | undefined {
  const parsed = parseJson(source);
  if (!parsed.ok || !isObject(parsed.value) || parsed.value.type !== 'error') return undefined;
  return typeof parsed.value.error === 'string' ? parsed.value.error : undefined;
}

function readError(value: JsonObject, source: string): Response {
  if (typeof value.error === 'string') return { ok: false, message: value.error };
  return invalid('The agent reported an error without saying which.', source);
}

function readSuccess(value: JsonObject, source: string, operation: string): Response {
  if (value.operation !== operation) {
    const answered = show(value.operation);
    return invalid(`The agent was asked for ${show(operation)} and answered for ${answered}.`, source);
  }
  switch (operationNamed(operation).answer) {
    case 'text':
      return readText(value.text ?? '', source);
    case 'data':
      if (!isObject(value.data)) return invalid('The answer of the agent has no `data` object.', source);
      return { ok: true, text: JSON.stringify(value.data), data: value.data };
    case 'files':
      return readFiles(value.files ?? [], source);
  }
}

function readText(text: JsonValue, source: string): Response {
  if (typeof text === 'string') return { ok: true, text };
  return invalid(`The \`text\` of the answer must be a string, not ${show(text)}.`, source);
}

function readFiles(files: JsonValue, source: string): Response {
  if (!Array.isArray(files) || !files.every((file) => typeof file === 'string')) {
    return invalid('The `files` of the answer must be a list of strings.', source);
  }
  const stray = files.find((file) => !staysInside(file));
  if (stray === undefined) return { ok: true, text: files.join('\n'), files };
  return invalid(`The agent names ${show(stray)}, which is not a path inside the project.`, source);
}

/** Whether a path is relative and never leaves its start through `..`, in Unix and Windows spelling. */
function staysInside(path: string): boolean {
  if (path === '' || /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path)) return false;
  let depth = 0;
  for (const part of path.split(/[\\/]/)) {
    if (part === '..') depth--;
    else if (part !== '' && part !== '.') depth++;
    if (depth < 0) return false;
  }
  return true;
}

function invalid(message: string, source: string, code: FaultCode = 'malformed-frame'): Response {
  return { ok: false, message, fault: fault(code, message, source) };
}

/**
 * The JSON object with which an agent answers. Without an `operation` no request was read, so the answer is an error.
 */
export function createResponse(operation: string | undefined, text: string, end: End): JsonObject {
  if (end.outcome !== 'success') return failed(failureOf(end));
  if (operation === undefined) return failed('There was no request to answer.');
  switch (operationNamed(operation).answer) {
    case 'text':
      return { type: 'success', operation, text };
    case 'data':
      // An agent that can only talk answers with JSON in its text.
      return dataResponse(operation, end.data ?? jsonInText(text));
    case 'files':
      return { type: 'success', operation, files: end.files ?? [] };
  }
}

function dataResponse(operation: string, data: JsonValue | undefined): JsonObject {
  return isObject(data)
    ? { type: 'success', operation, data }
    : failed('The agent did not answer with a JSON object.');
}

function failed(error: string): JsonObject {
  return { type: 'error', error };
}
