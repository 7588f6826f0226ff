import type { JsonObject, JsonValue, Permission, Usage } from '@plugboard/protocol';
import type { Sink } from '../loop/sink.ts';

/** One thing to answer, whoever asked. */
export interface Request {
  readonly text: string;
  /** Set on turns that nobody asked for. */
  readonly origin?: 'alarm' | 'task';
  /** The number under which the message waits in the inbox, if it does. */
  readonly waiting?: number;
  /** What the host wants the answer to conform to. */
  readonly schema?: JsonObject;
  /** Fields that hosts send beside a message. */
  readonly extensions?: Readonly<Record<string, JsonValue>>;
}

/** Around a request: who hears the answer, who is asked, who may add to it, who ends it. */
export interface Circumstances {
  readonly sink: Sink;
  readonly askPermission: (tool: string, input: JsonObject) => Promise<Permission>;
  /** Stores steered messages of the user in memory; returns whether there were any. */
  readonly takeMore?: () => Promise<boolean>;
  /** What the turn has used so far: one that is interrupted has no answer to say it with. */
  readonly spent?: (usage: Usage) => void;
  readonly signal: AbortSignal;
}

/** How a request was answered; everything said has gone to the sink already. */
export interface Answered {
  readonly text: string;
  readonly usage: Usage;
  readonly data?: JsonValue;
  /** What was written, relative to the working directory. */
  readonly files: readonly string[];
  readonly problem?: {
    readonly code: string;
    readonly message: string;
    /** It was not the request's fault: the same may go well later. */
    readonly passing?: true;
  };
}
