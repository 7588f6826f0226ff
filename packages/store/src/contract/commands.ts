import type { NewDelivery } from './outbox.ts';
import type { Session } from './records.ts';

/** Orders to the gateway itself: `/stop`, `/new`, `/agent`, `/set`. */
export interface Commands {
  /**
   * Carries out `order` and stores its answer in one transaction. `source` is an idempotency key, shared with
   * `Inbox.admit`: the same command again changes nothing and resolves to the first answer. Rejects with `conflict` when
   * `source` belongs to a message, or to a command with another `said`. `answer` can be called more than once, so it must
   * depend on its argument alone.
   */
  obey(command: {
    readonly source: string;
    readonly sessionId: string;
    /** The text of the command. With the same `source` it must be the same. */
    readonly said: string;
    readonly order: Order;
    readonly answer: (done: Done) => CommandAnswer;
  }): Promise<Obeyed>;
}

/**
 * - `nothing`: the command only asked a question.
 * - `drop`: as `Inbox.dropWaiting` with `takenIn`.
 * - `choose-agent`: `agent` answers from the next turn on.
 * - `choose-options`: `values` are added to `Session.chosen`.
 * - `renew`: as `drop`; the session is closed, and its place gets a new session with `agent`.
 */
export type Order =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'drop'; readonly takenIn?: readonly string[] | undefined }
  | { readonly kind: 'renew'; readonly agent: string; readonly takenIn?: readonly string[] | undefined }
  | { readonly kind: 'choose-agent'; readonly agent: string }
  | { readonly kind: 'choose-options'; readonly values: Session['chosen'] };

/** The state after an `Order`. */
export interface Done {
  /** The live session of the place: a new one after `renew`. */
  readonly session: Session;
  /** Number of dropped messages that no agent had taken in. */
  readonly dropped: number;
}

/** The answer to a command. */
export interface CommandAnswer {
  readonly reply: string;
  /** The same answer, for places that only get it as a delivery. */
  readonly deliveries: readonly NewDelivery[];
}

/** The result of `Commands.obey`. With `duplicate`, `reply` is the first answer and `dropped` is 0. */
export interface Obeyed extends Done {
  readonly reply: string;
  readonly duplicate: boolean;
}
