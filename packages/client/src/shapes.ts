import type {
  AgentCommand,
  AgentOption,
  Answer,
  AskOutcome,
  Attachment,
  Cost,
  End,
  Event,
  Question,
} from '@plugboard/protocol';

/** An agent that the gateway offers. */
export interface AgentView {
  readonly name: string;
  readonly dialect: string;
  readonly description: string;
  /** The agent of a session that names none. */
  readonly default: boolean;
  readonly capabilities: {
    readonly attachments: 'path' | 'url' | 'none';
    readonly media: boolean;
    readonly steering: boolean;
    readonly resident: boolean;
    readonly session: 'both' | 'none';
  };
}

/** A session as `GET /api/sessions` and the `status` events show it. */
export interface SessionView {
  readonly id: string;
  readonly channel: string;
  readonly place: string;
  readonly agent: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The highest `number` of its events; 0 for an empty log. */
  readonly lastEvent: number;
  /** Messages that wait for a turn. */
  readonly waiting: number;
  readonly closed: boolean;
  /** What its turns have cost, as far as the agents have said. */
  readonly cost: Cost | null;
  readonly state: 'idle' | 'queued' | 'running';
  /** Place in the gateway's line; 1 is next. Null unless `state` is `queued`. */
  readonly position: number | null;
  /** A message sent now goes into the running turn. */
  readonly steerable: boolean;
  /** The running turn. */
  readonly turnId: string | null;
}

/** What the agent of a session offers. `value` of an option is what a person has chosen, or else what the agent said. */
export interface OptionsView {
  readonly options: readonly AgentOption[];
  readonly commands: readonly AgentCommand[];
}

/** The `user` event: a message of a person. */
export interface UserSaid {
  readonly type: 'user';
  /** `messageId` of `Accepted`: it tells a sender which events are its own. */
  readonly messageId: string;
  readonly text: string;
  readonly sender: string;
  readonly attachments: readonly Attachment[];
}

/** The `notice` event: a message of the gateway itself. */
export interface Notice {
  readonly type: 'notice';
  readonly id: string;
  readonly text: string;
}

/** The `dropped` event: no agent took these messages in, and they will not be answered. */
export interface Dropped {
  readonly type: 'dropped';
  readonly messageIds: readonly string[];
}

/** One numbered entry of a session's log. `event` may have a type that this version does not know: pass over it. */
export interface EventView {
  readonly number: number;
  readonly turnId: string | null;
  readonly at: number;
  /** With an `end`: when the turn began, by the clock of the gateway. */
  readonly startedAt?: number;
  readonly event: Event | UserSaid | Notice | Dropped;
}

export interface TurnView {
  readonly id: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly messageId: string | null;
  readonly state: 'running' | 'success' | 'error' | 'cancelled' | 'timeout' | 'interrupted';
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly end: End | null;
  /** `turns.record` has its frames. */
  readonly recorded: boolean;
}

export interface MediaView {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly kind: 'image' | 'audio' | 'video' | 'file';
  readonly size: number;
  /** The path on the gateway: `/api/media/…`. */
  readonly url: string;
}

/** Bytes as they went over a pipe; `at` counts milliseconds from the beginning of the turn. */
export interface FrameView {
  readonly at: number;
  readonly stream: 'stdin' | 'stdout' | 'stderr';
  readonly text?: string;
  /** For bytes that are no text. */
  readonly base64?: string;
}

/** An event of a turn; `at` counts milliseconds from the beginning of the turn. `Replay` gives it no `number`. */
export interface RecordedEvent {
  readonly at: number;
  readonly number?: number;
  readonly event: Event;
}

/** The frames of one turn and the events that they became. */
export interface TurnRecord {
  readonly turn: TurnView;
  readonly dialect: string;
  readonly complete: boolean;
  readonly frames: readonly FrameView[];
  readonly exit: { readonly at: number; readonly code: number | null; readonly signal: string | null } | null;
  readonly events: readonly RecordedEvent[];
}

/** The recorded frames of a turn read anew; `same` compares the events with those in the log. */
export interface Replay {
  readonly events: readonly RecordedEvent[];
  readonly same: boolean;
}

export type DeliveryState = 'pending' | 'sending' | 'sent' | 'unknown' | 'failed' | 'expired';

/** A message on its way to the people of a channel. */
export interface DeliveryView {
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string | null;
  readonly channel: string;
  readonly place: string;
  readonly kind: 'message' | 'notice' | 'error' | 'progress' | 'question';
  readonly text: string;
  /** The names of files that go with it. */
  readonly files: readonly string[];
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When it was, or is, to be tried. */
  readonly dueAt: number;
  readonly expiresAt: number;
  /** The platform's own id of the message. */
  readonly platformId: string | null;
  /** Why it was not sent, or may not have been. */
  readonly problem: string | null;
  /** The name of the token that settled it. */
  readonly settled: { readonly by: string; readonly at: number } | null;
}

/** A key to the gateway, without its secret. */
export interface TokenView {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

/** The message is on the disk of the gateway and will be answered, unless it was `dropped`. */
export interface Accepted {
  readonly messageId: string;
  /** The number of its `user` event; null while that is not in the log. */
  readonly number: number | null;
  /** The gateway had a message with this `id` already, and has not changed it. */
  readonly duplicate: boolean;
  /** Messages that wait before it. */
  readonly ahead: number;
  readonly steered: boolean;
  /** A duplicate of a message that was dropped before an agent took it in: no turn answers it. Send it again with another `id`. */
  readonly dropped: boolean;
  /** The turn that has taken it; null while it waits, and if it was dropped. */
  readonly turnId: string | null;
}

/** The message was a command of the gateway. After `/new` or `/agent`, `session` is another one. */
export interface Commanded {
  readonly command: string;
  readonly reply: string;
  readonly duplicate: boolean;
  readonly session: SessionView;
}

/** A question of an agent to a person, and its answer. */
export interface AskView {
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** The agent that asks. */
  readonly agent: string;
  readonly question: Question;
  readonly state: 'open' | AskOutcome;
  readonly askedAt: number;
  readonly endedAt: number | null;
  /** What the agent was told; null when it was told nothing. */
  readonly answer: Answer | null;
}

/** A channel of the gateway: the page, a terminal, or a chat platform. */
export interface ChannelView {
  readonly name: string;
  /** The platform. */
  readonly kind: string;
  /** `failed`: it cannot be used until its settings change. */
  readonly state: 'starting' | 'ready' | 'failed' | 'stopped' | 'elsewhere';
  /** When a person last wrote, since the gateway started. */
  readonly lastMessageAt: number | null;
  /** What went wrong last, since the gateway started. */
  readonly lastError: { readonly at: number; readonly message: string } | null;
}

/** A gateway that shares a store with others. */
export interface NodeView {
  readonly name: string;
  readonly version: string;
  readonly url: string | null;
  readonly state: 'alive' | 'ended' | 'died';
  /** True for the gateway that answered the request. */
  readonly self: boolean;
  /** It takes no new turns. */
  readonly draining: boolean;
  /** Turns that run there. */
  readonly running: number;
  /** Agent processes that stay between turns. */
  readonly residents: number;
  readonly startedAt: number;
  /** When it last reported itself. */
  readonly seenAt: number;
}

/** A person of a channel, who may talk or asks to. */
export interface PersonView {
  readonly channel: string;
  /** Id on the platform. */
  readonly sender: string;
  /** For display alone: people choose it. */
  readonly name: string;
  readonly place: string;
  readonly state: 'asking' | 'paired';
  readonly askedAt: number;
  /** End of a request. */
  readonly expiresAt: number | null;
  readonly pairedAt: number | null;
  readonly pairedBy: string | null;
}
