import type { JsonObject, JsonValue, Permission, Usage } from '@plugboard/protocol';
import type { Sink } from '../loop/sink.ts';

/** A request of a host, an alarm or a task. */
export interface Request {
  readonly text: string;
  /** Set on turns that no user asked for. */
  readonly origin?: 'alarm' | 'task';
  /** The inbox number of the message, when it was admitted before its turn. */
  readonly waiting?: number;
  /** The JSON schema of the answer. */
  readonly schema?: JsonObject;
  /** Fields that hosts send beside a message. */
  readonly extensions?: Readonly<Record<string, JsonValue>>;
}

/** What a turn needs from its caller: output, permissions, steered messages and a signal. */
export interface RequestContext {
  readonly sink: Sink;
  readonly askPermission: (tool: string, input: JsonObject) => Promise<Permission>;
  /** Stores steered messages of the user in memory; returns whether there were any. */
  readonly takeMore?: () => Promise<boolean>;
  /** Called after each reply with the sum so far, since an aborted turn returns no `Answered`. */
  readonly spent?: (usage: Usage) => void;
  readonly signal: AbortSignal;
}

/** The outcome of a request. Its messages have been sent to the sink already. */
export interface Answered {
  readonly text: string;
  readonly usage: Usage;
  readonly data?: JsonValue;
  /** Changed files, relative to the working directory. */
  readonly files: readonly string[];
  readonly problem?: {
    readonly code: string;
    readonly message: string;
    /** The cause lies outside the request: an alarm or task is tried again later. */
    readonly passing?: true;
  };
}
