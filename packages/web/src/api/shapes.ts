import type { Attachment, End, Event } from '@plugboard/protocol';

/** An agent that can be talked to. */
export interface AgentView {
  readonly name: string;
  readonly dialect: string;
  readonly description: string;
  readonly default: boolean;
  readonly capabilities: {
    readonly attachments: 'path' | 'url' | 'none';
    readonly media: boolean;
    readonly steering: boolean;
    readonly resident: boolean;
    readonly session: 'both' | 'none';
  };
}

/** A session as the list and the head of the chat show it. */
export interface SessionView {
  readonly id: string;
  readonly channel: string;
  readonly place: string;
  readonly agent: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastEvent: number;
  readonly waiting: number;
  readonly closed: boolean;
  readonly state: 'idle' | 'queued' | 'running';
  /** Place in the gateway's line; 1 is next. */
  readonly position: number | null;
  /** A message sent now goes into the running turn. */
  readonly steerable: boolean;
  readonly turnId: string | null;
}

/** What a person wrote. */
export interface UserSaid {
  readonly type: 'user';
  readonly messageId: string;
  readonly text: string;
  readonly sender: string;
  readonly attachments: readonly Attachment[];
}

/** What the gateway itself has to say. */
export interface Notice {
  readonly type: 'notice';
  readonly id: string;
  readonly text: string;
}

/** Messages that waited were dropped: nobody will answer them. */
interface Dropped {
  readonly type: 'dropped';
  readonly messageIds: readonly string[];
}

/** One numbered entry of a session's log. */
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
  readonly recorded: boolean;
}

export interface MediaView {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly kind: 'image' | 'audio' | 'video' | 'file';
  readonly size: number;
  readonly url: string;
}

/** Bytes as they went over a pipe; `at` counts milliseconds from the beginning of the turn. */
export interface FrameView {
  readonly at: number;
  readonly stream: 'stdin' | 'stdout' | 'stderr';
  readonly text?: string;
  readonly base64?: string;
}

export interface RecordedEvent {
  readonly at: number;
  readonly number?: number;
  readonly event: Event;
}

/** Everything that went over the wire in one turn, and the events it became. */
export interface TurnRecord {
  readonly turn: TurnView;
  readonly dialect: string;
  readonly complete: boolean;
  readonly frames: readonly FrameView[];
  readonly exit: { readonly at: number; readonly code: number | null; readonly signal: string | null } | null;
  readonly events: readonly RecordedEvent[];
}

/** The recorded bytes read anew. */
export interface Replay {
  readonly events: readonly RecordedEvent[];
  readonly same: boolean;
}

/** A message was taken in. */
export interface Accepted {
  readonly messageId: string;
  readonly number: number | null;
  readonly duplicate: boolean;
  readonly ahead: number;
  readonly steered: boolean;
}

/** The message was a command of the gateway; the session may be a new one. */
export interface Commanded {
  readonly command: string;
  readonly reply: string;
  readonly session: SessionView;
}
