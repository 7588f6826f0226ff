import type { JsonValue } from '@plugboard/protocol';
import type { Entry, Remembered } from '../memory.ts';

/** A message as its row has it. */
export interface Stored {
  readonly number: number;
  readonly at: number;
  readonly kind: Entry['kind'];
  readonly text: string;
  readonly origin: string | null;
  readonly callId: string | null;
  readonly name: string | null;
  readonly isError: number;
  readonly callNumber: number | null;
  readonly tokens: number;
  readonly shown: number;
}

/** The columns of a row, by the names of `Stored`. */
export const COLUMNS = `number, at, kind, text, origin, call_id as callId, name, is_error as isError,
  call_number as callNumber, tokens, shown`;

/** What of an entry is its text: what was said, or the input of a call as JSON. Half a surrogate pair has no UTF-8. */
export function textOf(entry: Entry): string {
  if (entry.kind === 'call') return JSON.stringify(wellFormed(entry.input));
  return (entry.kind === 'result' ? entry.content : entry.text).toWellFormed();
}

/** A row as the entry that it was made from; `text` in place of its own when that was cut. */
export function rememberedOf(stored: Stored, text: string = stored.text): Remembered {
  const { number, at } = stored;
  const callId = stored.callId ?? '';
  switch (stored.kind) {
    case 'call':
      return {
        kind: 'call',
        callId,
        name: stored.name ?? '',
        input: JSON.parse(text) as JsonValue,
        number,
        at,
      };
    case 'result':
      return { kind: 'result', callId, content: text, isError: stored.isError === 1, number, at };
    case 'user':
      return { kind: 'user', text, ...originOf(stored.origin), number, at };
    default:
      return { kind: stored.kind, text, number, at };
  }
}

function originOf(origin: string | null): { origin?: 'alarm' | 'task' } {
  return origin === 'alarm' || origin === 'task' ? { origin } : {};
}

/** JSON in which every text can be stored, names of fields too. */
function wellFormed(value: JsonValue | undefined): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (value === null || value === undefined || typeof value !== 'object') return value ?? null;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name.toWellFormed(), wellFormed(field)]));
}
