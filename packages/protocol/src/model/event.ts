import type { Fault } from './fault.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { AgentCommand, AgentOption } from './option.ts';
import type { Answer, Question } from './question.ts';
import type { FileLocation, ToolContent, ToolKind } from './tool.ts';
import type { Attachment } from './turn.ts';

/** The agent is up and says who it is. */
export interface Ready {
  readonly type: 'ready';
  readonly session?: string;
  readonly version?: string;
  readonly tools?: readonly string[];
  /** The model that answers. */
  readonly model?: string;
  /** Further fields of the agent's self-description, by name. */
  readonly details?: JsonObject;
}

/** A turn has begun. `origin` is set on turns that the agent began without an input. */
export interface Accepted {
  readonly type: 'accepted';
  /** Ids of the inputs that it answers; absent on a turn that the agent began by itself. */
  readonly inputs?: readonly string[];
  readonly at?: string;
  readonly origin?: 'alarm' | 'task';
}

/** A piece of the `Message` that follows, which repeats the text in full. */
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

/** One complete message with its attachments. */
export interface Message {
  readonly type: 'message';
  readonly text: string;
  readonly media: readonly Attachment[];
  /** The deltas before it carried all of `text`: a reader that showed them need not show it again. */
  readonly streamed?: true;
}

/** A complete thought of the model: no part of the answer. */
export interface Thinking {
  readonly type: 'thinking';
  readonly text: string;
  /** The `thinking` deltas before it carried all of `text`. */
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
  /** One line for a person; `name` where it is absent. */
  readonly title?: string;
  readonly kind?: ToolKind;
  /** `running` when absent. `pending`: it waits, for example for permission. */
  readonly status?: ToolStatus;
  /** Files that it reads or changes. */
  readonly locations?: readonly FileLocation[];
  readonly content?: readonly ToolContent[];
}

/** The state of a tool call without a `tool-result`. */
export type ToolStatus = 'pending' | 'running';

/** A tool call has changed before its result. An absent field is as before; a list replaces the earlier one. */
export interface ToolUpdate {
  readonly type: 'tool-update';
  /** `ToolCall.id`. */
  readonly id: string;
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly status?: ToolStatus;
  readonly input?: JsonValue;
  readonly locations?: readonly FileLocation[];
  readonly content?: readonly ToolContent[];
}

/** A tool has answered. */
export interface ToolResult {
  readonly type: 'tool-result';
  readonly id: string;
  /** The whole answer as text. */
  readonly content: string;
  readonly isError: boolean;
  /** The answer in parts, where it is more than text: changes of files, output of a terminal. */
  readonly parts?: readonly ToolContent[];
}

/** One step of a plan. */
export interface PlanStep {
  readonly text: string;
  readonly status: 'pending' | 'running' | 'done';
  readonly priority?: 'high' | 'medium' | 'low';
}

/** The plan of the agent for its turn, complete. A plan replaces the previous plan. */
export interface Plan {
  readonly type: 'plan';
  readonly steps: readonly PlanStep[];
}

/** What the turn has used so far. The last one counts, unless `End` has its own. */
export interface UsageEvent {
  readonly type: 'usage';
  readonly usage: Usage;
  readonly cost?: Cost;
}

/** What the agent offers in this session. A list that is present replaces the earlier list. */
export interface Options {
  readonly type: 'options';
  readonly options?: readonly AgentOption[];
  readonly commands?: readonly AgentCommand[];
}

/** What the agent says about the conversation. */
export interface SessionInfo {
  readonly type: 'session-info';
  readonly title: string;
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

/** The complete list of background tasks and alarms. A snapshot replaces the previous snapshot. */
export interface Tasks {
  readonly type: 'tasks';
  readonly tasks: readonly Task[];
}

/** A later input waits for the running turn; `position` counts from 1. */
export interface Queued {
  readonly type: 'queued';
  readonly position: number;
  /** The id of the input, where it is known. */
  readonly input?: string;
}

/** Waiting inputs were taken into the running turn. */
export interface Steered {
  readonly type: 'steered';
  /** Their ids, in the order in which they were sent. */
  readonly inputs: readonly string[];
}

/** The agent asks a person, and its turn waits for the answer. */
export interface Ask {
  readonly type: 'ask';
  readonly id: string;
  readonly question: Question;
}

/** How a question ended. `void`: the process ended before an answer came. */
export type AskOutcome = 'answered' | 'expired' | 'withdrawn' | 'void';

/** A question is open no longer. */
export interface AskEnded {
  readonly type: 'ask-ended';
  readonly id: string;
  readonly outcome: AskOutcome;
  /** The answer that the agent received; absent when it received none. */
  readonly answer?: Answer;
}

/** The agent's own, opaque id of the conversation. The host sends it with the next turn as `session.agentId`. */
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

/** The wire delivered malformed input. */
export interface FaultEvent {
  readonly type: 'fault';
  readonly fault: Fault;
}

/** How a turn ended. */
export type Outcome = 'success' | 'error' | 'cancelled' | 'timeout';

/**
 * Tokens and the like, as the agent counted them. `context_used` and `context_size` are the tokens of the model's
 * context; all others are of the turn.
 */
export type Usage = Readonly<Record<string, number>>;

/** The price of a turn, as the agent reckons it. */
export interface Cost {
  readonly amount: number;
  /** ISO 4217, for example `USD`. */
  readonly currency: string;
}

/** The reason of a failure, in words for the user. */
export interface Failure {
  readonly message: string;
  readonly code?: string;
  /** The end of stderr or similar, for the operator: channels and hosts show `message` alone to users. */
  readonly detail?: string;
  /**
   * The user knows from a message of this turn, or is not to be told: channels and hosts do not show `message` again.
   */
  readonly told?: true;
}

/** How a turn ended: exactly one for every turn, always its last event. */
export interface End {
  readonly type: 'end';
  readonly outcome: Outcome;
  /** The text of the last message, which is the answer in dialects with a single answer. */
  readonly text: string;
  /** The structured answer, where the operation asks for one (`Turn.schema`). */
  readonly data?: JsonValue;
  /** Files that the agent says it has written. */
  readonly files?: readonly string[];
  readonly error?: Failure;
  readonly usage?: Usage;
  readonly cost?: Cost;
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
  | Thinking
  | Progress
  | ToolCall
  | ToolUpdate
  | ToolResult
  | Plan
  | UsageEvent
  | Options
  | SessionInfo
  | Tasks
  | Queued
  | Steered
  | Ask
  | AskEnded
  | SessionEvent
  | Log
  | FaultEvent
  | End;

/** The names of the kinds of events. */
export type EventType = Event['type'];
