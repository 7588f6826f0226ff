import type { Session } from './records.ts';

/** Conversations, each in one place of one channel. */
export interface Sessions {
  /** The live session of a place; begun with this agent when there is none. */
  open(place: {
    readonly channel: string;
    readonly place: string;
    readonly agent: string;
  }): Promise<OpenedSession>;
  get(id: string): Promise<Session | undefined>;
  /**
   * Newest first; `before` is the last session of the page before. `search` looks in titles and in what was said:
   * every word of it must be found somewhere in the session, in whatever case, as part of a word too. A search runs beside
   * everything else, and is refused with `busy` when it takes too long; `signal` cancels it.
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
  /** Ends the live session, so that the next `open` of its place begins a new one. Messages that wait are dropped. */
  close(id: string): Promise<void>;
  rename(id: string, title: string): Promise<void>;
  /** Another agent forgets the agent's session: it was the old agent's memory. */
  chooseAgent(id: string, agent: string): Promise<void>;
  rememberAgentSession(id: string, agentSession: string): Promise<void>;
  /**
   * Forgets up to `limit` sessions in which nothing has happened for `idleMs`, with everything said in them: nobody finds
   * them any more. Resolves to how many there were, and to the files that were theirs, which the caller removes.
   */
  forget(options: { readonly idleMs: number; readonly limit: number }): Promise<Forgotten>;
}

/** The live session of a place. */
export interface OpenedSession extends Session {
  /** It was not there before: of many who open a place at once, one has begun it. */
  readonly begun: boolean;
}

/** What was forgotten. */
export interface Forgotten {
  readonly sessions: number;
  /** Where the bytes of its files lie, relative to the media directory. */
  readonly files: readonly string[];
}
