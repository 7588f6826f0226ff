import { retryDelay } from './retry.ts';

/** How long things take and wait; tests have no time. */
export interface Times {
  /** A channel that does not answer for so long has lost it, one way or the other. */
  readonly sendMs: number;
  /** What became of something is asked for so long, each time. */
  readonly resolveMs: number;
  /** What is shown in between is not worth more. */
  readonly previewMs: number;
  /** A text that grows is first shown after so long: most answers are complete by then. */
  readonly firstMs: number;
  /** What the outbox holds for later is looked at again after so long, at the latest. */
  readonly lookMs: number;
  /** What is past its time is marked so this often. */
  readonly expireMs: number;
  /** How long the end of the gateway waits for a channel. */
  readonly stopMs: number;
  readonly retryMs: (attempts: number) => number;
}

export const TIMES: Times = {
  sendMs: 60_000,
  resolveMs: 15_000,
  previewMs: 10_000,
  firstMs: 250,
  lookMs: 5_000,
  expireMs: 30_000,
  stopMs: 5_000,
  retryMs: retryDelay,
};
