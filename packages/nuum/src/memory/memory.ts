import type { JsonValue } from '@plugboard/protocol';
import type { Connection } from '../database/connection.ts';
import type { Knowledge } from './knowledge/entry.ts';
import type { Search } from './search/hit.ts';
import type { Summaries } from './summaries/summaries.ts';

/** One thing to remember of a turn. */
export type Entry =
  | { readonly kind: 'user'; readonly text: string; readonly origin?: 'alarm' | 'task' }
  | { readonly kind: 'assistant'; readonly text: string }
  | { readonly kind: 'call'; readonly callId: string; readonly name: string; readonly input: JsonValue }
  | { readonly kind: 'result'; readonly callId: string; readonly content: string; readonly isError: boolean }
  /** What the agent must know of its own life: a turn that was cut off, a task that died with the process. */
  | { readonly kind: 'note'; readonly text: string };

/** An entry in its place. Numbers grow by the order of writing, whatever the clock says, and are never used again. */
export type Remembered = Entry & { readonly number: number; readonly at: number };

/** What stands for a stretch of messages that the model no longer sees in full. */
export interface Summary {
  readonly number: number;
  /** The first and last message it stands for. */
  readonly from: number;
  readonly to: number;
  /** When these were said. */
  readonly fromAt: number;
  readonly toAt: number;
  /** What was going on. */
  readonly context: string;
  /** What must not be forgotten. */
  readonly facts: readonly string[];
}

/** What the model is shown of the past. */
export interface View {
  /** Oldest first; each begins where the one before it ends. */
  readonly summaries: readonly Summary[];
  /** Messages that neither a summary nor the recent ones show, since both together would be too much; 0 as a rule. */
  readonly omitted: number;
  /** Oldest first, each cut to what one message may take. */
  readonly recent: readonly Remembered[];
  /** Estimated tokens of all of it. */
  readonly tokens: number;
}

/** Every message there ever was. */
export interface Messages {
  /** Durable when it returns. */
  append(entry: Entry): number;
  /** Several at once, or none: what belongs together, such as the results of calls made together. */
  appendAll(entries: readonly Entry[]): readonly number[];
  /** As much of the past as fits into `budget` tokens, in time that does not grow with the past. */
  view(budget: number): View;
  /** The latest summaries within `budget` tokens; `omitted` counts the messages of the summaries left out. */
  past(budget: number): Pick<View, 'summaries' | 'omitted'>;
  /** All messages after a number, oldest first, each cut as a view of `budget` tokens cuts those of the last turn. */
  since(number: number, budget: number): readonly Remembered[];
  get(number: number): Remembered | undefined;
  readonly count: number;
}

/** One thing to do, as the model keeps its list. */
export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'blocked';
  readonly reason?: string;
}

/** What the agent is about right now; it stands in every prompt. */
export interface Present {
  readonly mission: string;
  readonly status: string;
  readonly todos: readonly Todo[];
}

/** Settings that outlive the process, such as the host's own addition to the prompt. */
export interface Settings {
  get(name: string): string | undefined;
  set(name: string, value: string | undefined): void;
}

/** What one database holds. One database is one agent. */
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
  /** For what else lives in the same file, such as tasks and alarms. */
  readonly connection: Connection;
  /** Milliseconds since 1970, by the clock of whoever opened the memory. */
  readonly now: () => number;
  /** Entries of long-term knowledge that belong into every prompt, as text; empty when there are none. */
  standing(): string;
  /** Throws a MemoryError when its file was deleted or replaced: what is written then is lost with the process. */
  ensureThere(): void;
  close(): void;
}
