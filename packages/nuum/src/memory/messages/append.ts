import { type Connection, row, run } from '../../database/connection.ts';
import { transaction } from '../../database/transaction.ts';
import { countNew } from '../agent/counters.ts';
import type { Entry } from '../memory.ts';
import { searchable } from '../search/words.ts';
import { estimateTokens, MESSAGE_OVERHEAD } from '../tokens.ts';
import { MESSAGE_LIMIT } from './cut.ts';
import { textOf } from './stored.ts';

const INSERT = `insert into messages (at, kind, text, origin, call_id, name, is_error, call_number, tokens, shown)
  values (:at, :kind, :text, :origin, :callId, :name, :isError, :callNumber, :tokens, :shown)`;

/** Writes entries in one transaction, with what finds them again, and gives their numbers. */
export function appendAll(connection: Connection, entries: readonly Entry[], now: number): number[] {
  if (entries.length === 0) return [];
  return transaction(connection, () => {
    let tokens = 0;
    let shown = 0;
    const numbers = entries.map((entry) => {
      const written = appendOne(connection, entry, now);
      tokens += written.tokens;
      shown += written.shown;
      return written.number;
    });
    countNew(connection, entries.length, tokens, shown);
    return numbers;
  });
}

function appendOne(
  connection: Connection,
  entry: Entry,
  at: number,
): { number: number; tokens: number; shown: number } {
  const text = textOf(entry);
  const tokens = estimateTokens(text) + MESSAGE_OVERHEAD;
  const shown = Math.min(tokens, MESSAGE_LIMIT + MESSAGE_OVERHEAD);
  const paired = entry.kind === 'call' || entry.kind === 'result';
  const { key: number } = run(connection, INSERT, {
    at,
    kind: entry.kind,
    text,
    origin: (entry.kind === 'user' ? entry.origin : undefined) ?? null,
    callId: paired ? entry.callId.toWellFormed() : null,
    name: entry.kind === 'call' ? entry.name.toWellFormed() : null,
    isError: entry.kind === 'result' && entry.isError ? 1 : 0,
    callNumber: entry.kind === 'result' ? callOf(connection, entry.callId) : null,
    tokens,
    shown,
  });
  run(connection, 'insert into message_words (rowid, text) values (:number, :text)', {
    number,
    text: searchable(entry.kind === 'call' ? `${entry.name}\n${textsIn(text)}` : text),
  });
  return { number, tokens, shown };
}

/** The latest call with this id: models begin to count anew. */
function callOf(connection: Connection, callId: string): number | null {
  const found = row<{ number: number }>(
    connection,
    "select number from messages where kind = 'call' and call_id = :callId order by number desc limit 1",
    { callId: callId.toWellFormed() },
  );
  return found?.number ?? null;
}

/** JSON without its escapes, which would stick to the words behind them. */
function textsIn(json: string): string {
  return json.replaceAll(/\\(?:u[0-9a-f]{4}|.)/g, ' ');
}
