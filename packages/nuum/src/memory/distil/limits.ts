/** When messages are distilled, and how much that may cost. Sizes are in tokens. */
export interface DistilLimits {
  /** A run starts when the view has more tokens. */
  readonly trigger: number;
  /** A run ends when the view has at most these tokens. */
  readonly target: number;
  /** A run also starts when the view has more messages, and ends at half of them. */
  readonly messages: number;
  /** The number of latest messages that are never distilled. */
  readonly keepLast: number;
  /** The most tokens of messages that become one summary. */
  readonly stretch: number;
  /** The most tokens of messages in one question to the model. */
  readonly input: number;
  /** The most tokens of one summary. */
  readonly summary: number;
  /** The most tokens of all shown summaries. Above it the oldest are merged. */
  readonly summaries: number;
  /** The most questions to the model in one run, and for one summary. */
  readonly calls: number;
  readonly tries: number;
}

/** The factor by which all summaries may exceed `summaries` until the next run merges them. */
export const LEFT_TO_NEXT_RUN = 1.5;

/** For prompts of about 60,000 tokens, of which the rest is instructions and the running turn. */
const DISTIL_LIMITS: DistilLimits = {
  trigger: 40_000,
  target: 24_000,
  // The SDK's work for a question grows with the number of messages.
  messages: 400,
  keepLast: 10,
  stretch: 12_000,
  input: 16_000,
  summary: 900,
  summaries: 9_000,
  calls: 4,
  tries: 2,
};

/** The limits for a view of `view` tokens: `trigger` at five sixths of it, `target` at a half. */
export function distilLimitsFor(view: number): DistilLimits {
  return distilLimits({ trigger: Math.floor((view * 5) / 6), target: Math.floor(view / 2) });
}

/** Completes limits. Those that are not set are scaled down with a lower `trigger`. */
export function distilLimits(set: Partial<DistilLimits> = {}): DistilLimits {
  const trigger = set.trigger ?? DISTIL_LIMITS.trigger;
  const summaries = Math.min(DISTIL_LIMITS.summaries, Math.floor(trigger / 4));
  return {
    ...DISTIL_LIMITS,
    target: Math.min(DISTIL_LIMITS.target, Math.floor(trigger / 2)),
    stretch: Math.min(DISTIL_LIMITS.stretch, Math.floor(trigger / 3)),
    summaries,
    summary: Math.min(DISTIL_LIMITS.summary, Math.floor(summaries / 5)),
    ...set,
  };
}
