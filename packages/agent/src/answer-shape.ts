import { dialects } from '@plugboard/protocol';
import type { Piece, Result } from './handler.ts';

const FIELDS = ['text', 'data', 'files', 'usage'];

const MAY_RETURN =
  'it may return text, an object with text, data, files or usage, pieces of text to stream, or nothing';

const MAY_YIELD = 'it may yield text, or an event: an object with a known type';

/** Any dialect will do: each says of every event what becomes of it. */
const EVENTS = dialects.terminal.capabilities.events;

/** Takes what a handler has returned, once it is neither text nor pieces, for a result; throws where it is none. */
export function resultOf(answer: unknown): Result {
  if (!isRecord(answer) || !(FIELDS.some((field) => field in answer) || isEmpty(answer)))
    throw new TypeError(`The handler returned ${nameOf(answer)}; ${MAY_RETURN}.`);
  const { text, files, usage } = answer;
  if (text !== undefined && typeof text !== 'string') throw fieldProblem('text', text, 'a string');
  if (files !== undefined && !(Array.isArray(files) && files.every((file) => typeof file === 'string')))
    throw fieldProblem('files', files, 'an array of strings');
  if (usage !== undefined && !isRecord(usage)) throw fieldProblem('usage', usage, 'an object of numbers');
  // Other fields would be taken for those of the turn's end.
  return Object.fromEntries(FIELDS.filter((field) => field in answer).map((field) => [field, answer[field]]));
}

/** Takes what a handler has yielded for a piece of its answer; throws where it is none. */
export function pieceOf(piece: unknown): Piece {
  if (typeof piece === 'string') return piece;
  if (isRecord(piece) && typeof piece.type === 'string' && Object.hasOwn(EVENTS, piece.type))
    return piece as unknown as Piece;
  throw new TypeError(`The handler yielded ${nameOf(piece)}; ${MAY_YIELD}.`);
}

/** What a generator returns reaches nobody: throws where that is something. */
export function demandNothing(returned: unknown): void {
  if (returned === undefined || returned === null) return;
  throw new TypeError(
    `The handler is a generator and returned ${nameOf(returned)}; yield what is to be said, and call io.usage for what was used.`,
  );
}

function fieldProblem(field: string, value: unknown, expected: string): TypeError {
  return new TypeError(
    `The handler returned an object whose ${field} is ${nameOf(value)}; it must be ${expected}.`,
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A result with nothing in it says nothing; a date or an error has no fields either, and is not one. */
function isEmpty(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0;
}

/** What a value is, in words: never the value itself, which may be long, or secret. */
function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return 'text';
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (Array.isArray(value)) return 'an array';
  const kind = value.constructor?.name ?? 'Object';
  if (kind !== 'Object') return `an object of the class ${kind}`;
  const type = (value as { type?: unknown }).type;
  if (typeof type === 'string') return `an object of the type "${type}"`;
  const fields = Object.keys(value).slice(0, 5);
  return fields.length === 0 ? 'an empty object' : `an object with only ${fields.join(', ')}`;
}
