import type { JsonValue } from '@plugboard/protocol';
import type { Delivery } from './records.ts';

/** Deliveries to places of channels. Each `DeliveryState` is on the disk before the next one. */
export interface Outbox {
  /** Adds a `pending` delivery outside any turn. Within one, use `Changes.deliveries`. */
  add(sessionId: string, delivery: NewDelivery): Promise<Delivery>;
  /**
   * Marks due deliveries of a channel as `sending`, oldest first and at most one for each place. A place is skipped while
   * its oldest open delivery is `sending` or its `nextAt` is later, so that no delivery overtakes another.
   */
  take(options: {
    readonly channel: string;
    readonly node: string;
    readonly limit: number;
  }): Promise<readonly Delivery[]>;
  /** Stores the outcome of a `sending` or `unknown` delivery. In every other state this changes nothing. */
  settle(id: string, outcome: DeliveryOutcome): Promise<void>;
  /**
   * Stores what the platform reports after it has accepted a delivery: that it arrived, or that it failed after all. Changes
   * deliveries that are `sending`, `sent` or `unknown`; resolves to whether the state has changed.
   */
  report(id: string, outcome: Reported): Promise<boolean>;
  /**
   * Stores the decision of a person about an `unknown` delivery, with their name in `settled`. Rejects with `conflict` in
   * every other state: of two simultaneous decisions, the second is refused.
   */
  decide(id: string, decision: Decision): Promise<Delivery>;
  /** Marks deliveries that `node` was `sending` when it died as `unknown`: they may have arrived. */
  recover(node: string): Promise<readonly Delivery[]>;
  /** Marks `pending` deliveries as `expired` from their `expiresAt` on; resolves to their number. */
  expire(): Promise<number>;
  get(id: string): Promise<Delivery | undefined>;
  /** Newest first. `before` is the last id of the previous page. */
  list(options: {
    readonly state?: Delivery['state'];
    readonly sessionId?: string;
    readonly limit: number;
    readonly before?: string;
  }): Promise<readonly Delivery[]>;
}

/** A delivery to add. `expiresInMs` counts from now. */
export interface NewDelivery {
  readonly channel: string;
  readonly place: string;
  readonly body: JsonValue;
  readonly expiresInMs: number;
}

/**
 * - `sent`: the delivery has arrived.
 * - `again`: it becomes `pending`, and expires `expiresInMs` from now.
 * - `drop`: it becomes `failed`.
 */
export type Decision =
  | { readonly verdict: 'sent' | 'drop'; readonly by: string }
  | { readonly verdict: 'again'; readonly by: string; readonly expiresInMs: number };

/** A later word of the platform about a delivery. */
export type Reported =
  | { readonly state: 'sent'; readonly platformId?: string }
  | { readonly state: 'failed'; readonly problem: string };

/** The outcome of one attempt to send. `pending` tries again after `afterMs`. */
export type DeliveryOutcome =
  | { readonly state: 'sent'; readonly platformId?: string }
  | { readonly state: 'pending'; readonly afterMs: number; readonly problem: string }
  | { readonly state: 'unknown' | 'failed'; readonly problem: string };
