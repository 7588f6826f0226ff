import { listRows } from '@plugboard/sqlite';
import { minuteText } from '../date-text.ts';
import type { Memory } from '../memory.ts';
import type { Remembered } from '../messages/message.ts';
import { COLUMNS, rememberedOf, type Stored } from '../messages/stored.ts';
import { shortenText } from '../tokens.ts';

/** The part of a message to read, and the number of neighbours. */
export interface Part {
  readonly offset: number;
  readonly limit: number;
  readonly around: number;
}

/** The text of a message or of a part of it. Undefined when there is no message with this number. */
export function readMessage(
  memory: Memory,
  number: number,
  { offset, limit, around }: Part,
): string | undefined {
  const message = memory.messages.get(number);
  if (message === undefined) return undefined;
  const text = wordsOf(message);
  const part = text.slice(offset, offset + limit).toWellFormed();
  const left = text.length - offset - part.length;
  return [
    ...findNeighbours(memory, number, around, 'before').map(inShort),
    `${headOf(message)} (characters ${offset} to ${offset + part.length} of ${text.length})`,
    part,
    ...(left > 0 ? [`… ${left} more characters: read on with offset ${offset + part.length}.`] : []),
    ...findNeighbours(memory, number, around, 'after').map(inShort),
  ].join('\n');
}

/** The text of a message; name and input of a call. */
function wordsOf(message: Remembered): string {
  if (message.kind === 'call') return `${message.name} ${JSON.stringify(message.input, undefined, 1)}`;
  return message.kind === 'result' ? message.content : message.text;
}

function headOf(message: Remembered): string {
  return `#${message.number} ${minuteText(message.at)} ${message.kind}`;
}

function inShort(message: Remembered): string {
  return `${headOf(message)}: ${shortenText(wordsOf(message).replaceAll(/\s+/g, ' '), 100)}`;
}

function findNeighbours(
  memory: Memory,
  number: number,
  most: number,
  side: 'before' | 'after',
): Remembered[] {
  const where =
    side === 'before' ? 'number < :number order by number desc' : 'number > :number order by number';
  const found = listRows<Stored>(
    memory.connection,
    `select ${COLUMNS} from messages where ${where} limit :most`,
    {
      number,
      most,
    },
  ).map((stored) => rememberedOf(stored));
  return side === 'before' ? found.reverse() : found;
}
