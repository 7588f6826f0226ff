import type { End } from '@plugboard/protocol';
import type { Said } from './event-log.ts';
import type { NewDelivery } from './outbox.ts';
import type { Message, Session, StoredTurn } from './records.ts';

/** Turns: who runs which session, and how each turn ended. */
export interface Turns {
  /**
   * Claims up to `limit` sessions with a waiting message, no running turn and no lease of another node, and begins a turn
   * in each with its oldest message. Principals are served in rotation; of one principal, the oldest message comes first. After a crash,
   * `recover` returns the messages of an unfinished claim to the queue.
   */
  claim(
    holder: Holder & {
      readonly limit: number;
      /** Sessions of these agents are skipped: their agents are at capacity. */
      readonly except?: readonly string[];
    },
  ): Promise<readonly Claim[]>;
  /**
   * Begins a turn that the agent started by itself. Undefined when the session has a running turn, is leased by another
   * node, or is closed.
   */
  claimOwn(sessionId: string, holder: Holder): Promise<Claim | undefined>;
  /**
   * Takes the lease of a session without a turn, for an agent process that is started before a message comes. Undefined when
   * the session has a running turn, is leased by another node, or is closed.
   */
  lease(sessionId: string, holder: Holder): Promise<Lease | undefined>;
  /** Extends these leases. Resolves to the ids of sessions whose lease was lost: to `recover`, or to another node. */
  renew(leases: readonly Lease[], leaseMs: number): Promise<readonly string[]>;
  /** Gives back a lease that was kept after a turn (`Changes.keepsLease`). A lease that was lost stays as it is. */
  release(lease: Lease): Promise<void>;
  /**
   * Writes all `changes` of a claimed session in one transaction. Changes that readers must see together belong in one
   * call. Rejects with `LostClaimError`.
   */
  record(claim: Claim, changes: Changes): Promise<Recorded>;
  /**
   * Ends turns as `interrupted` whose lease is over, or that `node` held before it died, and frees the leases that `node` kept
   * after its turns. Events of interrupted turns stay. Messages that
   * were not marked as `given` wait again; a turn without events whose first message is among them is deleted. Otherwise
   * `again` decides about the given messages, and where it returns false, `notice` is delivered once. Both can be called
   * more than once for a turn, so they must depend on their arguments alone. Resolves to the interrupted turns.
   */
  recover(options: {
    readonly node?: string;
    readonly notice: (turn: StoredTurn, session: Session) => NewDelivery | undefined;
    /** Whether unanswered given messages wait again. `interruptions` counts the interrupted turns of the first message. */
    readonly again?: (turn: StoredTurn, interruptions: number) => boolean;
  }): Promise<readonly StoredTurn[]>;
  get(id: string): Promise<StoredTurn | undefined>;
  /** Newest first. `before` is the last id of the previous page. */
  list(
    sessionId: string,
    options: { readonly limit: number; readonly before?: string },
  ): Promise<readonly StoredTurn[]>;
  /** Distinct names of agents that have had a turn in a session. */
  agents(sessionId: string): Promise<readonly string[]>;
  /** `waiting` messages in all, `own` of them of `principal`, `running` turns, and the age of the oldest waiting message. */
  backlog(principal?: string): Promise<{
    readonly waiting: number;
    readonly own: number;
    readonly running: number;
    readonly oldestMs: number;
  }>;
}

/**
 * The right of a node to run the turns of a session. It lasts while a turn runs, and after it with `Changes.keepsLease`:
 * messages then meet the agent process that this node keeps for the session.
 */
export interface Lease {
  readonly session: Session;
  /** Fencing token: it grows with every claim of the session, and writes with an older one are refused. */
  readonly fence: number;
}

/**
 * A lease with the turn that runs. The end of the lease alone does not take it away, `recover` does: a holder that was
 * suspended can go on if no `recover` ran meanwhile.
 */
export interface Claim extends Lease {
  readonly turn: StoredTurn;
  readonly message: Message | undefined;
}

/** The `node` that holds a lease, and its length. */
export interface Holder {
  readonly node: string;
  readonly leaseMs: number;
}

/** Changes to a claimed session and its running turn. */
export interface Changes {
  /** Events to append to the log. */
  readonly events?: readonly Said[];
  /** Deliveries to add to the outbox. */
  readonly deliveries?: readonly NewDelivery[];
  /** Messages of the turn whose first byte is written to the agent next. After a crash they wait again only if `again` says so. */
  readonly given?: readonly string[];
  /** Takes all waiting messages of the session into the turn and marks them as given. */
  readonly takeWaiting?: boolean;
  /** Messages of the turn that the agent will not answer. They wait again in their old order, unless they were dropped. */
  readonly returned?: readonly string[];
  /** Drops the messages of the turn: `recover` does not ask them again. The turn goes on. */
  readonly abandoned?: Abandoned;
  /** Undoes the claim: the messages of the turn wait again where they stood. Rejects with `begun` once the turn has an event. */
  readonly release?: boolean;
  /** A new `Session.agentSession`. */
  readonly agentSession?: string;
  /** The last event of the turn. Ends it, and frees the session for its next message. */
  readonly end?: End;
  /**
   * Only with `end`: the node keeps the lease, because its agent has a process for the session. Until `release`, or the
   * end of the lease, no other node claims the session.
   */
  readonly keepsLease?: boolean;
  /** Only with `end`: begins a turn that the agent started by itself, before another node can claim the session. */
  readonly next?: Holder;
}

/** How a turn is given up. */
export interface Abandoned {
  /**
   * Ids of messages of the turn that its agent has taken in. The other steered messages are appended to the log as one
   * `dropped` event and lose their `turnId`.
   */
  readonly takenIn: readonly string[];
}

/** The result of `Turns.record`. */
export interface Recorded {
  /** The number of the first appended event; the next events follow without a gap. */
  readonly first: number;
  readonly at: number;
  /** Messages taken by `takeWaiting`. */
  readonly taken: readonly Message[];
  /** The claim of the turn begun by `next`. */
  readonly next: Claim | undefined;
}
