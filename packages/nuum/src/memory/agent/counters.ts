import { type Connection, run, theRow } from '../../database/connection.ts';

/** What the memory counts as it goes, so that nothing has to be counted later. */
export interface Counters {
  readonly messages: number;
  /** Of all messages in full. */
  readonly tokens: number;
  /** The last message that a summary stands for; 0 when there is none. */
  readonly coveredTo: number;
  readonly covered: number;
  /** Of the messages that no summary stands for, each cut to what one may take. */
  readonly openTokens: number;
  readonly forgettings: number;
}

/** The counters as they are now. */
export function counters(connection: Connection): Counters {
  return theRow<Counters>(
    connection,
    `select messages, tokens, covered_to as coveredTo, covered, open_tokens as openTokens, forgettings
     from agent where only = 1`,
  );
}

/** Adds new messages, which no summary stands for yet. */
export function countNew(connection: Connection, messages: number, tokens: number, shown: number): void {
  run(
    connection,
    `update agent set messages = messages + :messages, tokens = tokens + :tokens, open_tokens = open_tokens + :shown
     where only = 1`,
    { messages, tokens, shown },
  );
}

/** Moves messages from the open ones to those that a summary stands for. */
export function countCovered(connection: Connection, to: number, messages: number, shown: number): void {
  run(
    connection,
    `update agent set covered_to = :to, covered = covered + :messages, open_tokens = open_tokens - :shown
     where only = 1`,
    { to, messages, shown },
  );
}

/** Takes away messages that were deleted: all of them, and those of them that a summary stood for. */
export function countForgotten(
  connection: Connection,
  all: { readonly messages: number; readonly tokens: number },
  split: { readonly covered: number; readonly openShown: number },
): void {
  run(
    connection,
    `update agent set messages = messages - :messages, tokens = tokens - :tokens, covered = covered - :covered,
       open_tokens = open_tokens - :openShown, forgettings = forgettings + 1 where only = 1`,
    { ...all, ...split },
  );
}
