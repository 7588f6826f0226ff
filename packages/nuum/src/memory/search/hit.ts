import type { Remembered } from '../messages/message.ts';

export interface MessageHit {
  readonly number: number;
  readonly at: number;
  readonly kind: Remembered['kind'];
  /** The part of the message with the words of the query. */
  readonly snippet: string;
}

export interface KnowledgeHit {
  readonly slug: string;
  readonly title: string;
  readonly version: number;
  readonly snippet: string;
}

export interface QueuedHit {
  readonly at: number;
  readonly snippet: string;
}

/** A search among messages. */
export interface MessageQuery {
  readonly query: string;
  /** The most hits, best first; 10 by default. */
  readonly limit?: number;
  /** Exclusive bounds of message numbers. */
  readonly before?: number;
  readonly after?: number;
  /**
   * Set by `recall` and `reflect`: leaves out user and assistant messages from this number on, and all calls of lookup
   * tools with their results. Both repeat the words of the query.
   */
  readonly turnFrom?: number;
  /** Ends a search after its current step. The hits so far are returned. */
  readonly signal?: AbortSignal;
}

/** Full-text search. */
export interface Search {
  messages(query: MessageQuery): Promise<readonly MessageHit[]>;
  /** Searches the messages of the inbox. */
  queued(query: string, limit?: number): readonly QueuedHit[];
  knowledge(query: string, limit?: number): readonly KnowledgeHit[];
}
