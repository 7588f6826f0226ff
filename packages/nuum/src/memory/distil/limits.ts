/** How much is shown, and how much may be spent to keep it so; all sizes in tokens. */
export interface DistilLimits {
  /** Above this much in view, a run begins. */
  readonly trigger: number;
  /** At this much in view, it ends. */
  readonly target: number;
  /** Above so many messages in view a run begins, whatever their size; it ends at half of them. */
  readonly messages: number;
  /** So many of the last messages are never distilled. */
  readonly keepLast: number;
  /** At most about so much becomes one summary. */
  readonly stretch: number;
  /** At most so much of what is to be distilled goes to the model in one call. */
  readonly input: number;
  /** What one summary may take. */
  readonly summary: number;
  /** What all summaries together may take, before the oldest are merged. */
  readonly summaries: number;
  /** Questions to the model in one run, and for one stretch. */
  readonly calls: number;
  readonly tries: number;
}

/** The factor by which all summaries may exceed `summaries` until the next run merges them. */
export const LEFT_TO_NEXT_RUN = 1.5;

/** Made for a prompt of some 60,000 tokens, of which the rest is instructions and the running turn. */
const DISTIL_LIMITS: DistilLimits = {
  trigger: 40_000,
  target: 24_000,
  // What a turn costs grows with the messages it is shown, and a model finds its way through so many short ones no better.
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

/** The limits with some of them set; what is not set takes after the trigger, when that is lower. */
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
