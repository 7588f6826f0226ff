import { parseJson } from '../../framing/json.ts';
import { type Fault, fault } from '../../model/fault.ts';

export const SESSION = 'AGENT_SESSION:';
export const PARTIAL = 'AGENT_PARTIAL:';
export const ERROR = 'AGENT_ERROR:';

/** A line of stdout: its kind by prefix, and the `payload` behind the prefix. */
export interface Line {
  readonly kind: 'session' | 'partial' | 'error' | 'body';
  readonly payload: string;
}

/** Classifies a line by its prefix. Prefixes are tested in the order that the protocol prescribes. */
export function readLine(line: string, sessionPrefix: string): Line {
  if (sessionPrefix !== '' && line.startsWith(sessionPrefix)) {
    return { kind: 'session', payload: line.slice(sessionPrefix.length).trim() };
  }
  if (line.startsWith(PARTIAL)) return { kind: 'partial', payload: line.slice(PARTIAL.length).trim() };
  if (line.startsWith(ERROR)) return { kind: 'error', payload: line.slice(ERROR.length).trim() };
  return { kind: 'body', payload: line };
}

/**
 * The text of a partial or an error. A payload that is not a JSON string is taken literally, with a `malformed-frame`
 * fault.
 */
export function readPayload(payload: string): { readonly text: string; readonly fault?: Fault } {
  const parsed = payload.startsWith('"') ? parseJson(payload) : undefined;
  if (parsed?.ok && typeof parsed.value === 'string') return { text: parsed.value };
  return { text: payload, fault: fault('malformed-frame', 'The payload is not a JSON string.', payload) };
}

/** The protocol sets no limit. This limit keeps agents from storing data in session ids. */
const ID_CHARS = 4096;

/** Why an id cannot be a session id, or undefined when it can. */
export function sessionProblem(id: string): string | undefined {
  if (id === '') return 'A session id must not be empty.';
  if (id.length > ID_CHARS) return `A session id must not be longer than ${ID_CHARS} characters.`;
  if (/[\s\p{Cc}:]/u.test(id)) {
    return 'A session id must not hold white space, control characters or a colon.';
  }
  return undefined;
}

/**
 * Text as body lines. A line that begins like a protocol line gets a space in front, so that hosts do not read it as
 * `AGENT_ERROR` or the like. Some hosts also end a line at a lone CR.
 */
export function bodyLines(text: string): string {
  return `${text.replace(/(?<=^|[\r\n])(?=AGENT_(?:SESSION|PARTIAL|ERROR):)/g, ' ')}\n`;
}
