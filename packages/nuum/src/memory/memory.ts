import type { Connection } from '@plugboard/sqlite';
import type { Knowledge } from './knowledge/entry.ts';
import type { Entry, Remembered } from './messages/message.ts';
import type { Search } from './search/hit.ts';
import type { Summary } from './summaries/stored.ts';
import type { Summaries } from './summaries/summaries.ts';

/** The part of the past that a prompt shows. */
export interface View {
  /** Oldest first. Their ranges are contiguous. */
  readonly summaries: readonly Summary[];
  /** The number of messages that neither `summaries` nor `recent` show. 0 unless the budget is too small for them. */
  readonly omitted: number;
  /** Oldest first. Each text is cut to `MESSAGE_LIMIT` tokens. */
  readonly recent: readonly Remembered[];
  /** The estimated tokens of the whole view. */
  readonly tokens: number;
}

/** The table `messages`. */
export interface Messages {
  /** Durable when it returns. Returns the number of the message. */
  append(entry: Entry): number;
  /** Appends all entries in one transaction, for example the results of calls made together. */
  appendAll(entries: readonly Entry[]): readonly number[];
  /**
   * The latest messages and summaries within `budget` tokens. The time it takes does not grow with the number of
   * messages.
   */
  view(budget: number): View;
  /** The latest summaries within `budget` tokens; `omitted` counts the messages of the summaries left out. */
  past(budget: number): Pick<View, 'summaries' | 'omitted'>;
  /** All messages after a number, oldest first, each cut as a view of `budget` tokens cuts those of the last turn. */
  since(number: number, budget: number): readonly Remembered[];
  get(number: number): Remembered | undefined;
  readonly count: number;
}

export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'blocked';
  readonly reason?: string;
}

/** The state of the work as the model has set it. It is part of every prompt. */
export interface Present {
  readonly mission: string;
  readonly status: string;
  readonly todos: readonly Todo[];
}

/** Settings that outlive the process: `system_prompt`. */
export interface Settings {
  get(name: string): string | undefined;
  set(name: string, value: string | undefined): void;
}

/** The content of one database, which is one agent. */
export interface Memory {
  readonly file: string;
  /** `nuum_` and a ULID; the same for as long as the database lives. */
  readonly session: string;
  readonly messages: Messages;
  readonly present: { get(): Present; set(change: Partial<Present>): void };
  readonly settings: Settings;
  readonly summaries: Summaries;
  readonly knowledge: Knowledge;
  readonly search: Search;
  /** The connection, for the tables of tasks and alarms. */
  readonly connection: Connection;
  /** The clock in milliseconds since 1970. */
  readonly now: () => number;
  /** The text of the standing knowledge entries for the system prompt; empty when there are none. */
  standing(): string;
  /** Throws a `MemoryError` when the file was deleted or replaced: later writes would be lost with the process. */
  ensureThere(): void;
  close(): void;
}
