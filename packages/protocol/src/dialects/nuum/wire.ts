import { isObject, parseJson, repeatsKey } from '../../framing/json.ts';
import { type Fault, fault } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';

/** A line is an object with a `type`, or a fault. */
export type LineReading =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly fault: Fault };

/** Reads the parts of a line that both directions share: a JSON object with one `type`. */
export function readLine(line: string): LineReading {
  const parsed = parseJson(line);
  if (!parsed.ok) return parsed;
  const value = parsed.value;
  if (!isObject(value)) return malformed('A line must be a JSON object.', line);
  if (typeof value.type !== 'string') return malformed('A line must say its `type`.', line);
  if (repeatsKey(line, 'type')) {
    return { ok: false, fault: fault('duplicate-key', 'The line says its `type` twice.', line) };
  }
  return { ok: true, value };
}

function malformed(message: string, line: string): LineReading {
  return { ok: false, fault: fault('malformed-frame', message, line) };
}

/** One line of either direction, as bytes. */
export function writeLine(value: JsonObject): string {
  return `${JSON.stringify(value)}\n`;
}
