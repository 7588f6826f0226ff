import type { Answer, AskOutcome, Question } from '@plugboard/protocol';

/** The questions that agents have put to people. They are written by `Turns.record`, as `ask` and `ask-ended` events. */
export interface AskRecords {
  get(id: string): Promise<StoredAsk | undefined>;
  /** Newest first; `before` is the id of the last question of the page before. */
  list(options: {
    readonly state?: StoredAsk['state'];
    readonly sessionId?: string;
    readonly limit: number;
    readonly before?: string;
  }): Promise<readonly StoredAsk[]>;
}

/** One question, and what became of it. */
export interface StoredAsk {
  readonly id: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** The agent that asks. */
  readonly agent: string;
  readonly question: Question;
  readonly state: 'open' | AskOutcome;
  readonly askedAt: number;
  readonly endedAt: number | undefined;
  /** What the agent was told; undefined when it was told nothing. */
  readonly answer: Answer | undefined;
}
