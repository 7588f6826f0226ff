import type { JsonValue } from '@plugboard/protocol';
import type { Delivery } from './records.ts';

/** What must go out. Each state is durable before the next act. */
export interface Outbox {
  /** Adds a delivery outside any turn. */
  add(sessionId: string, delivery: NewDelivery): Promise<Delivery>;
  /**
   * Takes deliveries of a channel that are due, oldest first and one at a time for each place, and marks them as being
   * sent. A place whose oldest delivery is being sent, or has to wait, waits as a whole: what it is told stays in order.
   */
  take(options: {
    readonly channel: string;
    readonly node: string;
    readonly limit: number;
  }): Promise<readonly Delivery[]>;
  /** Says what became of a delivery that is being sent, or that is unknown; one that is settled for good stays so. */
  settle(id: string, outcome: DeliveryOutcome): Promise<void>;
  /**
   * A person says what became of a delivery that is unknown, or what is to: that is kept, with who it was. Rejects with
   * `conflict` when it is in any other state: of two who decide, one does.
   */
  decide(id: string, decision: Decision): Promise<Delivery>;
  /** What `node` was sending when it died may or may not have arrived: those become unknown. */
  recover(node: string): Promise<readonly Delivery[]>;
  /** Marks what is past its time; resolves to how many. */
  expire(): Promise<number>;
  get(id: string): Promise<Delivery | undefined>;
  /** Newest first; `before` is the id of the last delivery of the page before. */
  list(options: {
    readonly state?: Delivery['state'];
    readonly sessionId?: string;
    readonly limit: number;
    readonly before?: string;
  }): Promise<readonly Delivery[]>;
}

/** What a delivery is made of. */
export interface NewDelivery {
  readonly channel: string;
  readonly place: string;
  readonly body: JsonValue;
  readonly expiresInMs: number;
}

/**
 * - `sent`: it has arrived.
 * - `again`: it is to be sent once more, and is good for so long from now on.
 * - `drop`: it is let go, and has failed.
 */
export type Decision =
  | { readonly verdict: 'sent' | 'drop'; readonly by: string }
  | { readonly verdict: 'again'; readonly by: string; readonly expiresInMs: number };

/** What became of an attempt to send. */
export type DeliveryOutcome =
  | { readonly state: 'sent'; readonly platformId?: string }
  | { readonly state: 'pending'; readonly afterMs: number; readonly problem: string }
  | { readonly state: 'unknown' | 'failed'; readonly problem: string };
