import { type Connection, requireRow, runStatement } from '@plugboard/sqlite';

/** Counts kept up to date by every write, so that no read has to count all messages. */
export interface Counters {
  readonly messages: number;
  /** Of all messages, uncut. */
  readonly tokens: number;
  /** The number of the last message that a summary covers; 0 when there is none. */
  readonly coveredTo: number;
  readonly covered: number;
  /** Of the messages after `coveredTo`, each cut to `MESSAGE_LIMIT`. */
  readonly openTokens: number;
  readonly forgettings: number;
}

/** Reads the counters. */
export function readCounters(connection: Connection): Counters {
  return requireRow<Counters>(
    connection,
    `select messages, tokens, covered_to as coveredTo, covered, open_tokens as openTokens, forgettings
     from agent where only = 1`,
  );
}

/** Counts new messages, which no summary covers yet. */
export function countNew(connection: Connection, messages: number, tokens: number, shown: number): void {
  runStatement(
    connection,
    `update agent set messages = messages + :messages, tokens = tokens + :tokens, open_tokens = open_tokens + :shown
     where only = 1`,
    { messages, tokens, shown },
  );
}

/** Counts messages that a new summary covers, up to the message `to`. */
export function countCovered(connection: Connection, to: number, messages: number, shown: number): void {
  runStatement(
    connection,
    `update agent set covered_to = :to, covered = covered + :messages, open_tokens = open_tokens - :shown
     where only = 1`,
    { to, messages, shown },
  );
}

/** Subtracts deleted messages: `all` of them, and the parts of them before and after `coveredTo`. */
export function countForgotten(
  connection: Connection,
  all: { readonly messages: number; readonly tokens: number },
  split: { readonly covered: number; readonly openShown: number },
): void {
  runStatement(
    connection,
    `update agent set messages = messages - :messages, tokens = tokens - :tokens, covered = covered - :covered,
       open_tokens = open_tokens - :openShown, forgettings = forgettings + 1 where only = 1`,
    { ...all, ...split },
  );
}
