import type { Attachment, End, Event, JsonValue } from '@plugboard/protocol';

/** A conversation between people in one place and one agent. */
export interface Session {
  readonly id: string;
  /** Where it takes place: the channel and what that channel calls the place. One live session for each. */
  readonly channel: string;
  readonly place: string;
  readonly agent: string;
  readonly title: string;
  /** The id under which the agent remembers it. */
  readonly agentSession: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The highest event number given out. */
  readonly lastEvent: number;
  /** Messages that wait for a turn. */
  readonly waiting: number;
  readonly running: boolean;
  /** Ended by `/new`: kept to be read, not to be continued. */
  readonly closed: boolean;
}

/** What somebody said, as it was admitted. */
export interface Message {
  readonly id: string;
  readonly sessionId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly sender: string;
  readonly receivedAt: number;
  /** The turn that has taken it, if one has: as what it was asked, or while it ran. */
  readonly turnId: string | undefined;
}

export type TurnState = 'running' | End['outcome'] | 'interrupted';

/** One turn of a session: the message it answers, and how it went. */
export interface StoredTurn {
  readonly id: string;
  readonly sessionId: string;
  readonly agent: string;
  /** Absent for a turn that the agent began by itself. */
  readonly messageId: string | undefined;
  readonly state: TurnState;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly end: End | undefined;
}

/** An event of a session with its number: strictly increasing, never reused, the same after a restart. */
export interface StoredEvent {
  readonly sessionId: string;
  readonly number: number;
  /** The turn it belongs to. What people said belongs to the turn that has taken it, from then on. */
  readonly turnId: string | undefined;
  readonly at: number;
  /** With an `end`: when its turn began. */
  readonly startedAt?: number;
  readonly event: Event | UserSaid | Notice | Dropped;
}

/** What the people said stands in the log of events too, so that one log tells the whole conversation. */
export interface UserSaid {
  readonly type: 'user';
  readonly messageId: string;
  readonly text: string;
  readonly sender: string;
  readonly attachments: readonly Attachment[];
}

/** What the gateway itself had to say: a turn was cut off, a command was answered. */
export interface Notice {
  readonly type: 'notice';
  readonly text: string;
}

/** Messages that waited were dropped: `/stop`, `/new` or the end of the session came before a turn took them. */
export interface Dropped {
  readonly type: 'dropped';
  readonly messageIds: readonly string[];
}

/**
 * - `pending`: not tried, or to be tried again at `nextAt`.
 * - `sending`: handed to the platform, which has not answered.
 * - `sent`: the platform has it.
 * - `unknown`: the platform may have it; nobody can tell.
 * - `failed`: the platform will never take it.
 * - `expired`: it came to nothing in the time it was good for.
 */
export type DeliveryState = 'pending' | 'sending' | 'sent' | 'unknown' | 'failed' | 'expired';

/** Something that must reach people in a place. */
export interface Delivery {
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string | undefined;
  readonly channel: string;
  readonly place: string;
  readonly body: JsonValue;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextAt: number;
  readonly expiresAt: number;
  readonly platformId: string | undefined;
  readonly problem: string | undefined;
  /** Which person last said what became of it, and when. */
  readonly settled: { readonly by: string; readonly at: number } | undefined;
}

/** A file that belongs to a session. */
export interface Media {
  readonly id: string;
  readonly sessionId: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** Where its bytes lie, relative to the media directory. */
  readonly file: string;
  readonly createdAt: number;
}

/** A key to the gateway. Only the hash of its secret is kept. */
export interface Token {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly lastUsedAt: number | undefined;
}
