import type {
  AgentCommand,
  AgentOption,
  Attachment,
  Cost,
  End,
  Event,
  JsonValue,
  OptionValue,
} from '@plugboard/protocol';

/** A conversation between one agent and the people in one place. */
export interface Session {
  readonly id: string;
  /** `channel` and `place` together have at most one session that is not `closed`. */
  readonly channel: string;
  readonly place: string;
  readonly agent: string;
  readonly title: string;
  /** The id that the agent gave, by which it finds its own memory of the session. */
  readonly agentSession: string | undefined;
  /** Values that people have chosen for options of the agent (`Sessions.chooseOptions`). */
  readonly chosen: Readonly<Record<string, OptionValue>>;
  /** The sum of `End.cost` of its turns, as far as they have the currency of the first; undefined while no turn had one. */
  readonly cost: Cost | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The number of the newest event; 0 in a new session. */
  readonly lastEvent: number;
  /** Number of messages that wait for a turn. */
  readonly waiting: number;
  readonly running: boolean;
  /** The node that has the lease, which may have run out; undefined when no node has it. */
  readonly node: string | undefined;
  /** Set by `Sessions.close`. A closed session can be read, and admits no message. */
  readonly closed: boolean;
}

/** The lists of the last `options` events of a session. */
export interface Offered {
  readonly options: readonly AgentOption[];
  readonly commands: readonly AgentCommand[];
}

/** The author of a title. A title of the gateway is made of the first message. */
export type TitleAuthor = 'person' | 'agent' | 'gateway';

/** A message of a person, as `Inbox.admit` stored it. */
export interface Message {
  readonly id: string;
  readonly sessionId: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly sender: string;
  /** As given to `Inbox.admit`; empty without one. */
  readonly principal: string;
  readonly receivedAt: number;
  /** The turn that has taken it, as its first message or by `Changes.takeWaiting`. */
  readonly turnId: string | undefined;
}

export type TurnState = 'running' | End['outcome'] | 'interrupted';

/** One turn of a session. */
export interface StoredTurn {
  readonly id: string;
  readonly sessionId: string;
  readonly agent: string;
  /** Undefined for a turn that the agent began by itself (`Turns.claimOwn`). */
  readonly messageId: string | undefined;
  readonly state: TurnState;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly end: End | undefined;
}

/** An event of a session. Its `number` is strictly increasing, never reused, and the same after a restart. */
export interface StoredEvent {
  readonly sessionId: string;
  readonly number: number;
  /** The turn it belongs to. For a `user` event, the turn that has taken its message. */
  readonly turnId: string | undefined;
  readonly at: number;
  /** Only with an `end`: `startedAt` of its turn. */
  readonly startedAt?: number;
  readonly event: Event | UserSaid | Notice | Dropped;
}

/** A message of a person in the log, so that the log alone has the whole conversation. */
export interface UserSaid {
  readonly type: 'user';
  readonly messageId: string;
  readonly text: string;
  readonly sender: string;
  readonly attachments: readonly Attachment[];
}

/** A text by the gateway itself: a turn was cut off, a command was answered. */
export interface Notice {
  readonly type: 'notice';
  readonly text: string;
}

/** Messages were dropped: `/stop`, `/new`, `Sessions.close` or `Changes.abandoned` came before an agent took them in. */
export interface Dropped {
  readonly type: 'dropped';
  readonly messageIds: readonly string[];
}

/**
 * - `pending`: not tried, or tried again at `nextAt`.
 * - `sending`: handed to the platform, which has not answered.
 * - `sent`: the platform has it.
 * - `unknown`: the platform may have it.
 * - `failed`: the platform refused it for good, or a person dropped it.
 * - `expired`: `expiresAt` came before it was sent.
 */
export type DeliveryState = 'pending' | 'sending' | 'sent' | 'unknown' | 'failed' | 'expired';

/** A `body` that must reach the people in a place of a channel. */
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
  /** The last decision of a person (`Outbox.decide`). */
  readonly settled: { readonly by: string; readonly at: number } | undefined;
}

/** The record of a media file of a session. */
export interface Media {
  readonly id: string;
  readonly sessionId: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** Name of the file where the gateway keeps its bytes. */
  readonly file: string;
  readonly createdAt: number;
}

/** An access token of the gateway. The store has only the hash of its secret. */
export interface Token {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly lastUsedAt: number | undefined;
}
