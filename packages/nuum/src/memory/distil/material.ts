import { type Connection, rows } from '../../database/connection.ts';
import type { Remembered } from '../memory.ts';
import { minute } from '../moment.ts';
import type { Gist } from '../summaries/summaries.ts';
import { estimateTokens, headOf, MESSAGE_OVERHEAD, shortened } from '../tokens.ts';
import type { Outline } from './plan.ts';

/** More messages than become one summary; not more are looked at, however many are waiting. */
const MOST = 2_000;
/** So many of those are left out again: the results of their calls may lie beyond. */
const MARGIN = 100;

/** The oldest messages that no summary stands for, and the first of those that must be kept. */
export function openMessages(
  connection: Connection,
  coveredTo: number,
  keepLast: number,
): { readonly open: Outline[]; readonly last: number } {
  const open = rows<Outline>(
    connection,
    `select number, kind, shown, call_number as callNumber from messages where number > :coveredTo
     order by number limit ${MOST}`,
    { coveredTo },
  );
  const kept = rows<{ number: number }>(
    connection,
    'select number from messages order by number desc limit :keepLast',
    { keepLast },
  );
  const beyond = open.length === MOST ? open[MOST - MARGIN]?.number : undefined;
  return {
    open,
    last: Math.min(kept.at(-1)?.number ?? Number.POSITIVE_INFINITY, beyond ?? Number.POSITIVE_INFINITY),
  };
}

/** Messages as a text for the model of at most so many tokens: when that is too little, long ones are cut the most. */
export function transcriptOf(messages: readonly Remembered[], tokens: number): string {
  const lines = messages.map((message) => ({ head: headOfLine(message), text: wordsOf(message) }));
  const sizes = lines.map(({ text }) => estimateTokens(text));
  const taken = (limit: number): number =>
    sizes.reduce((sum, size) => sum + Math.min(size, limit) + MESSAGE_OVERHEAD, 0);
  let limit = tokens;
  while (limit > 8 && taken(limit) > tokens) limit = Math.floor(limit * 0.7);
  return headOf(lines.map(({ head, text }) => `${head}${shortened(text, limit)}`).join('\n'), tokens);
}

/** Gists as a text for the model. */
export function gistsText(gists: readonly Gist[], tokens: number): string {
  const text = gists.map(({ context, facts }) => [context, ...facts.map((fact) => `- ${fact}`)].join('\n'));
  return headOf(text.join('\n\n'), tokens);
}

function headOfLine(message: Remembered): string {
  return `#${message.number} ${minute(message.at)} ${message.kind}: `;
}

function wordsOf(message: Remembered): string {
  if (message.kind === 'call') return `${message.name} ${JSON.stringify(message.input)}`;
  if (message.kind === 'result') return `${message.isError ? 'failed: ' : ''}${message.content}`;
  return message.text;
}
