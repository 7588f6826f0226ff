import type { NewDelivery } from './outbox.ts';
import type { Session } from './records.ts';

/** What people told the gateway itself to do. */
export interface Commands {
  /**
   * Does what somebody ordered and keeps what is answered, all or nothing. `source` names it for ever, as it does a
   * message: the same one again changes nothing, and resolves to what was answered then. Rejects with `conflict` when it
   * names a message, or a command that `said` something else. `answer` may be asked more than once, and decides by what it
   * is given alone.
   */
  obey(command: {
    readonly source: string;
    readonly sessionId: string;
    /** What makes this command another than others. */
    readonly said: string;
    readonly order: Order;
    readonly answer: (done: Done) => CommandAnswer;
  }): Promise<Obeyed>;
}

/**
 * - `nothing`: it was only a question.
 * - `drop`: what waits is dropped, and what runs is not asked again.
 * - `choose-agent`: another agent answers from the next turn on.
 * - `renew`: the session ends, and its place has another one, answered by this agent.
 */
export type Order =
  | { readonly kind: 'nothing' | 'drop' }
  | { readonly kind: 'choose-agent' | 'renew'; readonly agent: string };

/** How things stand when an order has been carried out. */
export interface Done {
  /** The one that is live in the place from now on. */
  readonly session: Session;
  /** Messages that waited, and will not be answered. */
  readonly dropped: number;
}

/** What is said to whoever gave a command. */
export interface CommandAnswer {
  readonly reply: string;
  /** The same, for those who have to be sent it. */
  readonly deliveries: readonly NewDelivery[];
}

/** A command that was obeyed, now or when it came first. */
export interface Obeyed extends Done {
  readonly reply: string;
  readonly duplicate: boolean;
}
