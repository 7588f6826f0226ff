import type { Attachment, End, Event, JsonValue } from '@plugboard/protocol';
import type { Commands } from './commands.ts';
import type { Errands } from './errands.ts';
import type { Delivery, Media, Message, Notice, Session, StoredEvent, StoredTurn, Token } from './records.ts';

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
  /** Copies everything into a new file, while others go on. A file that is there already is left alone. */
  backup(file: string): Promise<void>;
  /** Waits for what is being written. Everything asked of the store after that is refused. */
  close(): Promise<void>;
}

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
   * every word of it must be found somewhere in the session, in whatever case, as part of a word too.
   */
  list(options: {
    readonly limit: number;
    readonly before?: Pick<Session, 'id' | 'updatedAt'>;
    readonly search?: string;
    readonly channel?: string;
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

/** What came in, and what is to be answered next. */
export interface Inbox {
  /**
   * Takes a message in. `source` names it for ever: the same one again changes nothing and is reported as a duplicate. Rejects
   * with `conflict` when it names a command, or a message of other words or with files of other names. The message is in the
   * session's log of events, too. A session that was closed takes in nothing new.
   */
  admit(message: {
    readonly source: string;
    readonly sessionId: string;
    readonly text: string;
    readonly attachments: readonly Attachment[];
    readonly sender: string;
  }): Promise<Admission>;
  /**
   * Drops the messages of a session that wait for a turn; resolves to how many there were. What its running turn was asked
   * is not asked again, should that be interrupted.
   */
  dropWaiting(sessionId: string): Promise<number>;
  /** What the running turn of a session was asked and given is not asked again, should that be interrupted. */
  letGo(sessionId: string): Promise<void>;
  /**
   * Lets messages wait again that a turn has taken in and that are not answered in it, each where it stood. Those that were
   * dropped meanwhile stay so.
   */
  putBack(messageIds: readonly string[]): Promise<void>;
}

export interface Admission {
  readonly message: Message;
  readonly duplicate: boolean;
  /** How many messages of the session stand before this one; 0 when it is next. */
  readonly ahead: number;
  /** The number of its event, unless it is a duplicate. */
  readonly number: number | undefined;
}

/** Where in the log events stand that were appended together. */
export interface Appended {
  /** The number of the first; the others follow. */
  readonly first: number;
  readonly at: number;
}

/** What is said in a turn before its end: the end is not appended, it completes the turn. */
export type Said = Exclude<Event, End>;

/**
 * The right to run one turn of a session. It is good for as long as the lease lasts, and after that until somebody
 * recovers the session: a holder that slept, and that nobody missed, can go on.
 */
export interface Claim {
  readonly session: Session;
  readonly turn: StoredTurn;
  readonly message: Message | undefined;
  /** Grows with every claim of the session: what an earlier holder still writes is refused. */
  readonly fence: number;
}

export interface Turns {
  /**
   * Claims up to `limit` sessions that have a message waiting and no turn running, the longest waiting first, and
   * begins a turn in each. Nothing is popped: a session whose claim is not completed comes back by `recover`.
   */
  claim(holder: {
    readonly node: string;
    readonly leaseMs: number;
    readonly limit: number;
    /** Agents that have enough to do: their sessions go on waiting. */
    readonly except?: readonly string[];
  }): Promise<readonly Claim[]>;
  /** Begins a turn that nobody asked for. Undefined when the session is running one already, or is closed. */
  claimUnasked(
    sessionId: string,
    holder: { readonly node: string; readonly leaseMs: number },
  ): Promise<Claim | undefined>;
  /** Holds on to sessions for another lease; resolves to the ids of those that were lost. */
  renew(claims: readonly Claim[], leaseMs: number): Promise<readonly string[]>;
  /** Takes the messages that wait into the running turn, in order. Rejects with LostClaimError. */
  takeWaiting(claim: Claim): Promise<readonly Message[]>;
  /** Appends events of the running turn, and what must be delivered of them. Rejects with LostClaimError. */
  append(claim: Claim, events: readonly Said[], deliveries?: readonly NewDelivery[]): Promise<Appended>;
  /**
   * Ends the turn: its last events, how it ended (which becomes the very last event), and what must be delivered, all
   * or nothing. The session is free for its next message. Rejects with LostClaimError.
   */
  complete(
    claim: Claim,
    result: {
      readonly events: readonly Said[];
      readonly end: End;
      readonly deliveries: readonly NewDelivery[];
    },
  ): Promise<Appended>;
  /** Gives a turn back that has said nothing, as if it had not been claimed. Rejects with LostClaimError. */
  release(claim: Claim): Promise<void>;
  /**
   * Ends the turns whose lease is over, or that `node` held before it died, as interrupted: everything said so far
   * stays, and unless it is asked again, the notice is delivered once. `notice` and `again` may be asked more than once for
   * the same turn, and decide by what they are given alone. Resolves to those turns.
   */
  recover(options: {
    readonly node?: string;
    readonly notice: (turn: StoredTurn, session: Session) => NewDelivery | undefined;
    /** Whether the message of a turn is to wait once more, which has been interrupted so often; without it, none does. */
    readonly again?: (turn: StoredTurn, interruptions: number) => boolean;
  }): Promise<readonly StoredTurn[]>;
  get(id: string): Promise<StoredTurn | undefined>;
  /** Newest first; `before` is the id of the last turn of the page before. */
  list(
    sessionId: string,
    options: { readonly limit: number; readonly before?: string },
  ): Promise<readonly StoredTurn[]>;
  /** The names of the agents that have had a turn in a session, each once. */
  agents(sessionId: string): Promise<readonly string[]>;
  /** Messages that wait, turns that run, and the age of the oldest message that waits. */
  backlog(): Promise<{ readonly waiting: number; readonly running: number; readonly oldestMs: number }>;
}

/** What was said in a session, by number. */
export interface EventLog {
  /**
   * Events after a number, in order, at most `limit`. With `bytes` no more are read once those before are about as large; one
   * is always read.
   */
  read(
    sessionId: string,
    options: { readonly after: number; readonly limit: number; readonly bytes?: number },
  ): Promise<readonly StoredEvent[]>;
  /**
   * Appends what happened outside any turn: a notice of the gateway, a changed list of tasks. `id` names it for ever: the
   * same one again changes nothing and resolves to the event that is there.
   */
  note(sessionId: string, note: { readonly id: string; readonly event: Notice | Said }): Promise<Noted>;
}

/** An event outside any turn, in the log. */
export interface Noted {
  readonly event: StoredEvent;
  readonly duplicate: boolean;
}

/** What a delivery is made of. */
export interface NewDelivery {
  readonly channel: string;
  readonly place: string;
  readonly body: JsonValue;
  readonly expiresInMs: number;
}

/** What must go out. Each state is durable before the next act. */
export interface Outbox {
  /** Adds a delivery outside any turn. */
  add(sessionId: string, delivery: NewDelivery): Promise<Delivery>;
  /**
   * Takes deliveries of a channel that are due, oldest first and one at a time for each place, and marks them as being
   * sent. A place whose oldest delivery is being sent, or has to wait, waits as a whole: what it is told stays in order.
   */
  take(options: {
    readonly channel: string;
    readonly node: string;
    readonly limit: number;
  }): Promise<readonly Delivery[]>;
  /** Says what became of a delivery that is being sent, or that is unknown; one that is settled for good stays so. */
  settle(id: string, outcome: DeliveryOutcome): Promise<void>;
  /**
   * A person says what became of a delivery that is unknown, or what is to: that is kept, with who it was. Rejects with
   * `conflict` when it is in any other state: of two who decide, one does.
   */
  decide(id: string, decision: Decision): Promise<Delivery>;
  /** What `node` was sending when it died may or may not have arrived: those become unknown. */
  recover(node: string): Promise<readonly Delivery[]>;
  /** Marks what is past its time; resolves to how many. */
  expire(): Promise<number>;
  get(id: string): Promise<Delivery | undefined>;
  /** Newest first; `before` is the id of the last delivery of the page before. */
  list(options: {
    readonly state?: Delivery['state'];
    readonly sessionId?: string;
    readonly limit: number;
    readonly before?: string;
  }): Promise<readonly Delivery[]>;
}

/**
 * - `sent`: it has arrived.
 * - `again`: it is to be sent once more, and is good for so long from now on.
 * - `drop`: it is let go, and has failed.
 */
export type Decision =
  | { readonly verdict: 'sent' | 'drop'; readonly by: string }
  | { readonly verdict: 'again'; readonly by: string; readonly expiresInMs: number };

export type DeliveryOutcome =
  | { readonly state: 'sent'; readonly platformId?: string }
  | { readonly state: 'pending'; readonly afterMs: number; readonly problem: string }
  | { readonly state: 'unknown' | 'failed'; readonly problem: string };

export interface MediaRecords {
  add(media: Omit<Media, 'createdAt'>): Promise<Media>;
  get(id: string): Promise<Media | undefined>;
}

export interface Tokens {
  add(token: {
    readonly id: string;
    readonly name: string;
    readonly hash: string;
    readonly scopes: readonly string[];
    readonly expiresInMs?: number;
  }): Promise<Token>;
  /** The token with this hash, unless it has been revoked or has expired; notes, to the minute, that it was used. */
  find(hash: string): Promise<Token | undefined>;
  list(): Promise<readonly Token[]>;
  revoke(id: string): Promise<boolean>;
}
