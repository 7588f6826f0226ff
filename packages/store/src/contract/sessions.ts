import type { OptionValue } from '@plugboard/protocol';
import type { Offered, Session, TitleAuthor } from './records.ts';

/** Sessions, each in one place of one channel. */
export interface Sessions {
  /** The live session of a place. Without one, begins a session with `agent`. */
  open(place: {
    readonly channel: string;
    readonly place: string;
    readonly agent: string;
  }): Promise<OpenedSession>;
  /** The live session of a place; `open` without the beginning of a session. */
  find(where: { readonly channel: string; readonly place: string }): Promise<Session | undefined>;
  get(id: string): Promise<Session | undefined>;
  /**
   * Most recently changed first. `before` is the last session of the previous page. `search` finds sessions whose title and
   * messages contain each of its words, case-insensitively, also inside a word. A search does not block other calls; it
   * rejects with `busy` after 3 s, and `signal` cancels it.
   */
  list(options: {
    readonly limit: number;
    readonly before?: Pick<Session, 'id' | 'updatedAt'>;
    readonly search?: string;
    readonly channel?: string;
    /** All channels but this one. */
    readonly exceptChannel?: string;
    readonly signal?: AbortSignal | undefined;
  }): Promise<readonly Session[]>;
  /** Closes a session and drops its waiting messages. The next `open` of its place begins a new session. */
  close(id: string): Promise<void>;
  /**
   * Changes the title. One of a person is replaced by a person alone, and the gateway names only sessions without a title. A
   * `session-info` event of the agent changes it as well.
   */
  rename(id: string, title: string, by?: TitleAuthor): Promise<void>;
  /** Changes the agent. A different `agent` clears `agentSession` and the options, which were those of the old agent. */
  chooseAgent(id: string, agent: string): Promise<void>;
  /** Adds `values` to `Session.chosen`. */
  chooseOptions(id: string, values: Readonly<Record<string, OptionValue>>): Promise<void>;
  /** What the agent has said it offers. Both lists are empty before its first `options` event. */
  offered(id: string): Promise<Offered>;
  /**
   * Moves live sessions, pending deliveries and people from one place of a channel to another, also those of `from` and one
   * person (`FROM\nPERSON`). A session stays where `to` has a live session already.
   */
  movePlace(channel: string, from: string, to: string): Promise<void>;
  rememberAgentSession(id: string, agentSession: string): Promise<void>;
  /**
   * Deletes up to `limit` sessions that were idle for `idleMs`, with their log, their index entries and their records. The
   * caller removes the media files that `Forgotten.files` names.
   */
  forget(options: { readonly idleMs: number; readonly limit: number }): Promise<Forgotten>;
}

/** The result of `Sessions.open`. */
export interface OpenedSession extends Session {
  /** True for exactly one of several calls that open a new place at once. */
  readonly begun: boolean;
}

/** The result of `Sessions.forget`. */
export interface Forgotten {
  readonly sessions: number;
  /** File names in the media directory. */
  readonly files: readonly string[];
}
