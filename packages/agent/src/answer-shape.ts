import { dialects } from '@plugboard/protocol';
import type { Piece, Result } from './handler.ts';

const FIELDS = ['text', 'data', 'files', 'usage'];

const MAY_RETURN =
  'it may return text, an object with text, data, files or usage, pieces of text to stream, or nothing';

const MAY_YIELD = 'it may yield text, or an event: an object with a known type';

/** `capabilities.events` of every dialect has all event types as keys, so the table of one dialect is enough. */
const EVENTS = dialects.terminal.capabilities.events;

/** Checks the object that a handler returned. Throws `TypeError` unless it is a `Result`. */
export function parseResult(answer: unknown): Result {
  if (!isRecord(answer) || !(FIELDS.some((field) => field in answer) || isEmpty(answer)))
    throw new TypeError(`The handler returned ${describeValue(answer)}; ${MAY_RETURN}.`);
  const { text, files, usage } = answer;
  if (text !== undefined && typeof text !== 'string') throw fieldProblem('text', text, 'a string');
  if (files !== undefined && !(Array.isArray(files) && files.every((file) => typeof file === 'string')))
    throw fieldProblem('files', files, 'an array of strings');
  if (usage !== undefined && !isRecord(usage)) throw fieldProblem('usage', usage, 'an object of numbers');
  // `endOf` spreads the result into the `end` event: another field, `outcome` for one, would replace its own.
  return Object.fromEntries(FIELDS.filter((field) => field in answer).map((field) => [field, answer[field]]));
}

/** Checks a value that a generator yielded. Throws `TypeError` unless it is a `Piece`. */
export function parsePiece(piece: unknown): Piece {
  if (typeof piece === 'string') return piece;
  if (isRecord(piece) && typeof piece.type === 'string' && Object.hasOwn(EVENTS, piece.type))
    return piece as unknown as Piece;
  throw new TypeError(`The handler yielded ${describeValue(piece)}; ${MAY_YIELD}.`);
}

/** `for await` drops the return value of a generator, so a value other than `undefined` or `null` is a `TypeError`. */
export function rejectReturned(returned: unknown): void {
  if (returned === undefined || returned === null) return;
  throw new TypeError(
    `The handler is a generator and returned ${describeValue(returned)}; yield what is to be said, and call io.usage for what was used.`,
  );
}

function fieldProblem(field: string, value: unknown, expected: string): TypeError {
  return new TypeError(
    `The handler returned an object whose ${field} is ${describeValue(value)}; it must be ${expected}.`,
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `{}` is an empty result. A `Date` or an `Error` has no own keys either, so the prototype is compared too. */
function isEmpty(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0;
}

/** Describes the type of `value` for an error message, without its contents: they may be long or secret. */
function describeValue(value: unknown): string {
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
