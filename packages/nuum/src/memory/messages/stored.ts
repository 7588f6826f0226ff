import type { JsonValue } from '@plugboard/protocol';
import type { Entry, Remembered } from './message.ts';

/** A row of `messages`. */
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

/** The columns of a row, named as in `Stored`. */
export const COLUMNS = `number, at, kind, text, origin, call_id as callId, name, is_error as isError,
  call_number as callNumber, tokens, shown`;

/** The text column of an entry; the JSON of the input for a call. Lone surrogates have no UTF-8 and are replaced. */
export function textOf(entry: Entry): string {
  if (entry.kind === 'call') return JSON.stringify(wellFormed(entry.input));
  return (entry.kind === 'result' ? entry.content : entry.text).toWellFormed();
}

/** The entry of a row. `text` replaces that of the row when it was cut. */
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

/** Replaces lone surrogates in all texts and field names. */
function wellFormed(value: JsonValue | undefined): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (value === null || value === undefined || typeof value !== 'object') return value ?? null;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name.toWellFormed(), wellFormed(field)]));
}
