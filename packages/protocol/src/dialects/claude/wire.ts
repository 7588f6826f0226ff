import { isObject, parseJson } from '../../framing/json.ts';
import { type Fault, fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';

/** A line of stdout. `noise` is output of a wrapper script or a library, not of the protocol. */
export type LineReading =
  | { readonly type: 'frame'; readonly value: JsonObject }
  | { readonly type: 'noise' }
  | { readonly type: 'fault'; readonly fault: Fault };

/** Reads a line. The order of keys is free: `type` may be the last key of a `result`. */
export function readLine(line: string): LineReading {
  if (!line.trimStart().startsWith('{')) return { type: 'noise' };
  const parsed = parseJson(line);
  if (!parsed.ok) return { type: 'fault', fault: parsed.fault };
  const value = parsed.value;
  if (isObject(value) && typeof value.type === 'string') return { type: 'frame', value };
  return { type: 'fault', fault: fault('malformed-frame', 'A line must say its `type`.', line) };
}

const NO_NONCE = '00000000-0000-4000-8000-000000000000';

/**
 * The `uuid` of the user line number `count` of a process. `nonce` is a random UUID: Claude Code skips a line whose
 * `uuid` the session already has, so a resumed session must not see an earlier one again.
 */
export function createUuid(nonce: string | undefined, count: number): string {
  return `${(nonce ?? NO_NONCE).slice(0, 24)}${count.toString(16).padStart(12, '0')}`;
}
