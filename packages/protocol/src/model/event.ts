import type { Fault } from './fault.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Attachment } from './turn.ts';

/** The agent is up and says who it is. */
export interface Ready {
  readonly type: 'ready';
  readonly session?: string;
  readonly version?: string;
  readonly tools?: readonly string[];
  /** The model that answers. */
  readonly model?: string;
  /** What else the agent says about itself, by name: what it may do, what it was given. */
  readonly details?: JsonObject;
}

/** A turn has begun. `origin` is set on turns nobody asked for. */
export interface Accepted {
  readonly type: 'accepted';
  readonly at?: string;
  readonly origin?: 'alarm' | 'task';
}

/** A piece of the message that follows: a preview, which that message then says in full. */
export interface Delta {
  readonly type: 'delta';
  readonly kind: 'output' | 'thinking';
  readonly text: string;
  /**
   * The deltas before it belong to a message that broke off and will not come: they are no part of the next one. `text`
   * is for a reader who has been shown them, and no part of it either.
   */
  readonly restart?: true;
}

/** One complete message, with what is attached to it. */
export interface Message {
  readonly type: 'message';
  readonly text: string;
  readonly media: readonly Attachment[];
  /** The deltas before it have said all of its text: who showed them need not show it again. */
  readonly streamed?: true;
}

/** A status line that is not part of the answer. */
export interface Progress {
  readonly type: 'progress';
  readonly text: string;
}

/** A tool was called. */
export interface ToolCall {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

/** A tool has answered. */
export interface ToolResult {
  readonly type: 'tool-result';
  readonly id: string;
  readonly content: string;
  readonly isError: boolean;
}

/** One background task or alarm. */
export interface Task {
  readonly id: string;
  readonly kind: string;
  readonly description: string;
  readonly status: string;
  readonly createdAt?: string;
  readonly firesAt?: string;
}

/** All background tasks and alarms there are: a snapshot replaces the one before it. */
export interface Tasks {
  readonly type: 'tasks';
  readonly tasks: readonly Task[];
}

/** A later message waits for the running turn; `position` counts from 1. */
export interface Queued {
  readonly type: 'queued';
  readonly position: number;
}

/** Waiting messages were taken into the running turn. */
export interface Steered {
  readonly type: 'steered';
  readonly count: number;
}

/** The agent's own, opaque id of the conversation: give it back with the next turn. */
export interface SessionEvent {
  readonly type: 'session';
  readonly id: string;
}

/** How much a line of a log matters. */
export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

/** For the operator, never for the user. */
export interface Log {
  readonly type: 'log';
  readonly level: LogLevel;
  readonly text: string;
  readonly source: 'agent' | 'stderr' | 'host';
}

/** Something on the wire was malformed. */
export interface FaultEvent {
  readonly type: 'fault';
  readonly fault: Fault;
}

/** How a turn ended. */
export type Outcome = 'success' | 'error' | 'cancelled' | 'timeout';

/** Tokens and the like, as the agent counted them. */
export type Usage = Readonly<Record<string, number>>;

/** What went wrong, in words for the user. */
export interface Failure {
  readonly message: string;
  readonly code?: string;
  /** The end of stderr or similar, for the operator: channels and hosts show `message` alone to users. */
  readonly detail?: string;
  /** The user knows from a message of this turn, or is not to be told: neither channels nor hosts say it again. */
  readonly told?: true;
}

/** How a turn ended: exactly one for every turn, always its last event. */
export interface End {
  readonly type: 'end';
  readonly outcome: Outcome;
  /** The text of the last message: the answer, where a dialect has one answer. */
  readonly text: string;
  /** What was asked for as an object, where the operation asks for one. */
  readonly data?: JsonValue;
  /** Files that the agent says it has written. */
  readonly files?: readonly string[];
  readonly error?: Failure;
  readonly usage?: Usage;
  readonly durationMs?: number;
  readonly exitCode?: number;
  readonly signal?: string;
  /** The agent has not run at all; `exitCode` tells why, as a shell would. */
  readonly started?: false;
}

/** One thing that happens during a turn. */
export type Event =
  | Ready
  | Accepted
  | Delta
  | Message
  | Progress
  | ToolCall
  | ToolResult
  | Tasks
  | Queued
  | Steered
  | SessionEvent
  | Log
  | FaultEvent
  | End;

/** The names of the kinds of events. */
export type EventType = Event['type'];
