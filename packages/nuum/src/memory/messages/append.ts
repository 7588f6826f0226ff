import { type Connection, findRow, runStatement, runTransaction } from '@plugboard/sqlite';
import { countNew } from '../agent/counters.ts';
import { toIndexText } from '../search/words.ts';
import { estimateTokens, MESSAGE_OVERHEAD } from '../tokens.ts';
import { MESSAGE_LIMIT } from './cut.ts';
import type { Entry } from './message.ts';
import { textOf } from './stored.ts';

const INSERT = `insert into messages (at, kind, text, origin, call_id, name, is_error, call_number, tokens, shown)
  values (:at, :kind, :text, :origin, :callId, :name, :isError, :callNumber, :tokens, :shown)`;

/** Writes entries and their words for the search index in one transaction. Returns their numbers. */
export function appendAll(connection: Connection, entries: readonly Entry[], now: number): number[] {
  if (entries.length === 0) return [];
  return runTransaction(connection, () => {
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
  const { seq: number } = runStatement(connection, INSERT, {
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
  runStatement(connection, 'insert into message_words (rowid, text) values (:number, :text)', {
    number,
    text: toIndexText(entry.kind === 'call' ? `${entry.name}\n${textsIn(text)}` : text),
  });
  return { number, tokens, shown };
}

/** The number of the latest call with this id: models use ids again. */
function callOf(connection: Connection, callId: string): number | null {
  const found = findRow<{ number: number }>(
    connection,
    "select number from messages where kind = 'call' and call_id = :callId order by number desc limit 1",
    { callId: callId.toWellFormed() },
  );
  return found?.number ?? null;
}

/** JSON without escapes: `\nword` would be indexed as `nword`. */
function textsIn(json: string): string {
  return json.replaceAll(/\\(?:u[0-9a-f]{4}|.)/g, ' ');
}
