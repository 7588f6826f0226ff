import type { Commands } from './commands.ts';
import type { Errands } from './errands.ts';
import type { Inbox } from './inbox.ts';
import type { EventLog } from './log.ts';
import type { MediaRecords } from './media.ts';
import type { Outbox } from './outbox.ts';
import type { Sessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';
import type { Turns } from './turns.ts';

/**
 * Durable state. Whoever admits, appends or completes may rely on it once the promise has settled: a crash in the next
 * instant loses nothing. Times are milliseconds of the store's own clock, so that nodes need not agree on theirs.
 * Text comes back as it was given, except that what no database can be trusted with (NUL, half of a surrogate pair)
 * is U+FFFD. What is refused rejects with a StoreError, and has changed nothing.
 */
export interface Store {
  readonly sessions: Sessions;
  readonly inbox: Inbox;
  readonly commands: Commands;
  readonly turns: Turns;
  readonly errands: Errands;
  readonly log: EventLog;
  readonly outbox: Outbox;
  readonly media: MediaRecords;
  readonly tokens: Tokens;
  /** Whether the store can be written to; rejects with the reason when it cannot. */
  check(): Promise<void>;
  /** Reads the whole store without blocking other calls; rejects with `corrupt`, and the first problems found, when a part is damaged. */
  verify(): Promise<void>;
  /** Copies everything into a new file, while others go on. A file that is there already is left alone. */
  backup(file: string): Promise<void>;
  /** Waits for what is being written. Everything asked of the store after that is refused. */
  close(): Promise<void>;
}
