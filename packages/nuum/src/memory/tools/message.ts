import { rows } from '../../database/connection.ts';
import type { Memory, Remembered } from '../memory.ts';
import { COLUMNS, rememberedOf, type Stored } from '../messages/stored.ts';
import { minute } from '../moment.ts';
import { shortened } from '../tokens.ts';

/** Which part of a message, and how many of its neighbours. */
export interface Part {
  readonly offset: number;
  readonly limit: number;
  readonly around: number;
}

/** A message, or a part of it, in words; undefined when there is none with this number. */
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
    ...neighbours(memory, number, around, 'before').map(inShort),
    `${headOf(message)} (characters ${offset} to ${offset + part.length} of ${text.length})`,
    part,
    ...(left > 0 ? [`… ${left} more characters: read on with offset ${offset + part.length}.`] : []),
    ...neighbours(memory, number, around, 'after').map(inShort),
  ].join('\n');
}

/** The text of a message: of a call its name and input. */
function wordsOf(message: Remembered): string {
  if (message.kind === 'call') return `${message.name} ${JSON.stringify(message.input, undefined, 1)}`;
  return message.kind === 'result' ? message.content : message.text;
}

function headOf(message: Remembered): string {
  return `#${message.number} ${minute(message.at)} ${message.kind}`;
}

function inShort(message: Remembered): string {
  return `${headOf(message)}: ${shortened(wordsOf(message).replaceAll(/\s+/g, ' '), 100)}`;
}

function neighbours(memory: Memory, number: number, most: number, side: 'before' | 'after'): Remembered[] {
  const where =
    side === 'before' ? 'number < :number order by number desc' : 'number > :number order by number';
  const found = rows<Stored>(
    memory.connection,
    `select ${COLUMNS} from messages where ${where} limit :most`,
    {
      number,
      most,
    },
  ).map((stored) => rememberedOf(stored));
  return side === 'before' ? found.reverse() : found;
}
