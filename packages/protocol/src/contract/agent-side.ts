import type { End, Event, Failure } from '../model/event.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Answer, Question } from '../model/question.ts';
import type { Attachment, SessionRef, Turn } from '../model/turn.ts';

/** The surroundings of an agent process, known before it reads stdin. */
export interface AgentContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Contents of the request file, when the host named one. */
  readonly requestFile?: string;
  /** Makes the id of the next turn. */
  readonly nextTurnId: () => string;
  /** Makes a session key that no other conversation has, for a host that names none; `default` when absent. */
  readonly newSessionKey?: () => string;
  /** False for an agent that can be given text alone. */
  readonly takesFiles?: boolean;
  /**
   * Whether the surroundings keep what was said. They then answer `list-sessions`, and decide for an `open-session`
   * with `known` whether there is such a session.
   */
  readonly keepsHistory?: boolean;
}

/** A conversation that can be opened again. */
export interface KnownSession {
  readonly key: string;
  readonly title?: string;
  /** Absolute path of the directory that it is about. */
  readonly workspace?: string;
  /** ISO 8601. */
  readonly updatedAt?: string;
}

/** A part of what was said in a session: a message to the agent, or an event of a turn. */
export type HistoryEntry =
  | { readonly type: 'input'; readonly text: string; readonly attachments: readonly Attachment[] }
  | { readonly type: 'event'; readonly event: Event };

/** The inputs of `AgentSide.step`. */
export type AgentInput =
  /** The first input: the environment may already hold a turn. */
  | { readonly type: 'started' }
  /** A line of stdin. With `truncated` it is only the beginning of a line that exceeds the limit. */
  | { readonly type: 'line'; readonly text: string; readonly truncated?: boolean }
  | { readonly type: 'input-end' }
  /**
   * The handler emits an event of the turn `turnId`, or of no turn. The last event of a turn is `end`. `sessionKey` is
   * that of an event of no turn; without it the event is about all sessions.
   */
  | {
      readonly type: 'event';
      readonly turnId: string | undefined;
      readonly event: Event;
      readonly sessionKey?: string;
    }
  /** The handler asks; answered by an `answer` or a `cannot-ask` effect. */
  | { readonly type: 'ask'; readonly askId: string; readonly turnId: string; readonly question: Question }
  /** A turn was not admitted: it will not begin. */
  | { readonly type: 'not-taken'; readonly turnId: string; readonly message: string }
  /** The handler waits for the answer no longer. */
  | { readonly type: 'withdraw'; readonly askId: string }
  /**
   * Answers `open-session`: turns of the session can come. With `failure` they cannot; its code is `unknown-session`
   * where there is no such session. `history` is what was said, where it was wanted.
   */
  | {
      readonly type: 'session-opened';
      readonly sessionKey: string;
      readonly failure?: Failure;
      readonly history?: readonly HistoryEntry[];
    }
  /** Answers `list-sessions`; `next` is the `cursor` of the sessions that follow. */
  | {
      readonly type: 'sessions-listed';
      readonly listId: string;
      readonly sessions: readonly KnownSession[];
      readonly next?: string;
    };

/** The effects of `AgentSide.step`, in order. */
export type AgentEffect =
  | { readonly type: 'write'; readonly text: string }
  /**
   * A turn for the handler. While another turn of its session runs, it waits or is taken into that turn as steering.
   */
  | { readonly type: 'turn'; readonly turn: Turn }
  /** Stops the turn `turnId`, running or waiting; without `turnId`, the running turn. */
  | { readonly type: 'interrupt'; readonly turnId?: string }
  | { readonly type: 'answer'; readonly askId: string; readonly answer: Answer }
  /** This host has no way to answer an `ask`. */
  | { readonly type: 'cannot-ask'; readonly askId: string }
  /**
   * The host opens a session before its first turn. Answered by `session-opened`. `known`: it says that the session was
   * there before. `replay`: it wants to read what was said.
   */
  | {
      readonly type: 'open-session';
      readonly session: SessionRef;
      /** Absolute path of the directory that the session is about. */
      readonly workspace?: string;
      readonly extensions?: JsonObject;
      readonly known: boolean;
      readonly replay: boolean;
    }
  /** The host needs the session no more. Its turns are interrupted by effects of their own. */
  | { readonly type: 'close-session'; readonly sessionKey: string }
  /** The host wants to know which sessions there are. Answered by `sessions-listed`. */
  | {
      readonly type: 'list-sessions';
      readonly listId: string;
      readonly workspace?: string;
      readonly cursor?: string;
    }
  /** The request cannot be read. A process for one turn says so with an `end` and exits. */
  | { readonly type: 'refuse'; readonly failure: Failure }
  /** For the operator, on stderr. */
  | { readonly type: 'log'; readonly text: string };

/** The agent side of a dialect: a state machine without clock or streams. One state serves the whole process. */
export interface AgentSide<State> {
  /**
   * Whether `environment` and `requestFile` show, before any input, that a host of this dialect has started the
   * process.
   */
  isStartedBy?(context: Pick<AgentContext, 'environment' | 'requestFile'>): boolean;
  /** Whether a JSON value, the first thing on stdin, is a request in this dialect. */
  recognises?(value: JsonValue): boolean;
  /** Whether `line`, which is not complete JSON, is the beginning of a request in this dialect. */
  recognisesHalf?(line: string): boolean;
  initial(context: AgentContext): State;
  /** Changes `state` and appends to `out`; never throws. */
  step(state: State, input: AgentInput, out: AgentEffect[]): void;
  /** Whether the process owns the terminal: each line of stdin is then typed by the person. */
  isInteractive?(state: State): boolean;
  /** Whether requests come on stdin, asked once `started` was stepped. */
  readsInput(state: State): boolean;
  /** The exit code for the `end` of a turn. It can depend on the request, hence `state`. */
  exitCode(end: End, state: State): number;
}
