import type { Remembered } from '../memory.ts';

/** A message that was found. */
export interface MessageHit {
  readonly number: number;
  readonly at: number;
  readonly kind: Remembered['kind'];
  /** The place where what was looked for stands. */
  readonly snippet: string;
}

/** An entry of long-term knowledge that was found. */
export interface KnowledgeHit {
  readonly slug: string;
  readonly title: string;
  readonly version: number;
  readonly snippet: string;
}

/** A message that was found among those that wait. */
export interface QueuedHit {
  readonly at: number;
  readonly snippet: string;
}

/** What to look for among the messages. */
export interface MessageQuery {
  readonly query: string;
  /** At most so many, the best first; 10 unless told otherwise. */
  readonly limit?: number;
  /** Only messages with a lower, or a higher, number. */
  readonly before?: number;
  readonly after?: number;
  /**
   * Set by `recall` and `reflect`: leaves out user and assistant messages from this number on, and all calls of lookup
   * tools with their results. Both repeat the words of the query.
   */
  readonly turnFrom?: number;
  /** Stops a long search between two steps; what was found so far is given. */
  readonly signal?: AbortSignal;
}

/** Finds what was said and what is known. */
export interface Search {
  messages(query: MessageQuery): Promise<readonly MessageHit[]>;
  /** Among the messages that were taken from a host and that the model has not seen yet. */
  queued(query: string, limit?: number): readonly QueuedHit[];
  knowledge(query: string, limit?: number): readonly KnowledgeHit[];
}
