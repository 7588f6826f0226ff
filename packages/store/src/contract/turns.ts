import type { End } from '@plugboard/protocol';
import type { Said } from './log.ts';
import type { NewDelivery } from './outbox.ts';
import type { Message, Session, StoredTurn } from './records.ts';

/** Who answers what, and how far that has come. */
export interface Turns {
  /**
   * Claims up to `limit` sessions that have a message waiting and no turn running, and begins a turn in each. The principals whose messages
   * wait take turns; of one principal, the message that has waited longest comes first. Nothing is popped: a session whose claim is not completed comes back by `recover`.
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
  /** Messages that wait, those of `principal` among them, turns that run, and the age of the oldest message that waits. */
  backlog(principal?: string): Promise<{
    readonly waiting: number;
    readonly own: number;
    readonly running: number;
    readonly oldestMs: number;
  }>;
}

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

/** Where in the log events stand that were appended together. */
export interface Appended {
  /** The number of the first; the others follow. */
  readonly first: number;
  readonly at: number;
}
