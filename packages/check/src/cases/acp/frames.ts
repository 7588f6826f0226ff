import { isObject, type JsonObject, type JsonValue } from '@plugboard/protocol';
import type { SeenLine } from '../../observe/sight.ts';
import { type Frame, framesOf } from '../frames.ts';

/** Ids of the requests that most scenes begin with. */
export const INITIALIZE_ID = 0;
export const SESSION_ID = 1;

export function isResponse(frame: Frame): frame is JsonObject {
  return frame !== undefined && frame.method === undefined && ('result' in frame || 'error' in frame);
}

/** A request or notification of the agent. */
export function isCall(frame: Frame, method?: string): frame is JsonObject {
  return typeof frame?.method === 'string' && (method === undefined || frame.method === method);
}

export function responsesTo(lines: readonly SeenLine[], id: JsonValue): JsonObject[] {
  return framesOf(lines)
    .filter(isResponse)
    .filter((frame) => frame.id === id);
}

/** The result of the request `id`; undefined if it has none, or an error. */
export function resultOf(lines: readonly SeenLine[], id: JsonValue): JsonObject | undefined {
  const [response] = responsesTo(lines, id);
  return isObject(response?.result) ? response.result : undefined;
}

/** The error of the request `id`. */
export function errorOf(lines: readonly SeenLine[], id: JsonValue): JsonObject | undefined {
  const [response] = responsesTo(lines, id);
  return isObject(response?.error) ? response.error : undefined;
}

/** `sessionId` of the answer to the first `session/new`. */
export function sessionIn(lines: readonly SeenLine[]): string | undefined {
  const id = resultOf(lines, SESSION_ID)?.sessionId;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** What the agent says of itself in its answer to `initialize`. */
export function capabilitiesIn(lines: readonly SeenLine[]): JsonObject {
  const capabilities = resultOf(lines, INITIALIZE_ID)?.agentCapabilities;
  return isObject(capabilities) ? capabilities : {};
}

/** Whether the agent has `sessionCapabilities.NAME`. */
export function hasSessionCapability(lines: readonly SeenLine[], name: string): boolean {
  const { sessionCapabilities } = capabilitiesIn(lines);
  return isObject(sessionCapabilities) && isObject(sessionCapabilities[name]);
}

/** One `session/update`, and the index of its line. */
export interface Update {
  readonly at: number;
  readonly sessionId: JsonValue | undefined;
  readonly kind: string;
  readonly fields: JsonObject;
}

export function updatesIn(lines: readonly SeenLine[]): Update[] {
  return framesOf(lines).flatMap((frame, at) => {
    if (!isCall(frame, 'session/update') || !isObject(frame.params)) return [];
    const { sessionId, update } = frame.params;
    const fields = isObject(update) ? update : {};
    return [{ at, sessionId, kind: String(fields.sessionUpdate), fields }];
  });
}

/** The text of all message chunks, from the line `from` on. */
export function textIn(lines: readonly SeenLine[], from = 0): string {
  return updatesIn(lines)
    .filter(({ at, kind }) => at >= from && kind === 'agent_message_chunk')
    .map(({ fields }) => (isObject(fields.content) ? String(fields.content.text ?? '') : ''))
    .join('');
}
