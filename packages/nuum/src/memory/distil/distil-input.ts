import { type Connection, listRows } from '@plugboard/sqlite';
import { minuteText } from '../date-text.ts';
import type { Remembered } from '../messages/message.ts';
import type { Gist } from '../summaries/summaries.ts';
import { estimateTokens, headOf, MESSAGE_OVERHEAD, shortenText } from '../tokens.ts';
import type { Outline } from './plan.ts';

/** The most messages read at once; one summary covers fewer. */
const MOST = 2_000;
/** Messages at the end of a full read that are not distilled: the results of their calls may not have been read. */
const MARGIN = 100;

/** The oldest messages that no summary covers. `last` is the first of them that must not be distilled. */
export function openMessages(
  connection: Connection,
  coveredTo: number,
  keepLast: number,
): { readonly open: Outline[]; readonly last: number } {
  const open = listRows<Outline>(
    connection,
    `select number, kind, shown, call_number as callNumber from messages where number > :coveredTo
     order by number limit ${MOST}`,
    { coveredTo },
  );
  const kept = listRows<{ number: number }>(
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

/** Messages as text of at most `tokens` tokens. The longest texts are cut first. */
export function transcriptOf(messages: readonly Remembered[], tokens: number): string {
  const lines = messages.map((message) => ({ head: headOfLine(message), text: wordsOf(message) }));
  const sizes = lines.map(({ text }) => estimateTokens(text));
  const taken = (limit: number): number =>
    sizes.reduce((sum, size) => sum + Math.min(size, limit) + MESSAGE_OVERHEAD, 0);
  let limit = tokens;
  while (limit > 8 && taken(limit) > tokens) limit = Math.floor(limit * 0.7);
  return headOf(lines.map(({ head, text }) => `${head}${shortenText(text, limit)}`).join('\n'), tokens);
}

/** Summaries as text of at most `tokens` tokens. */
export function gistsText(gists: readonly Gist[], tokens: number): string {
  const text = gists.map(({ context, facts }) => [context, ...facts.map((fact) => `- ${fact}`)].join('\n'));
  return headOf(text.join('\n\n'), tokens);
}

function headOfLine(message: Remembered): string {
  return `#${message.number} ${minuteText(message.at)} ${message.kind}: `;
}

function wordsOf(message: Remembered): string {
  if (message.kind === 'call') return `${message.name} ${JSON.stringify(message.input)}`;
  if (message.kind === 'result') return `${message.isError ? 'failed: ' : ''}${message.content}`;
  return message.text;
}
