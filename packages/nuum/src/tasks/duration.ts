/** A duration as people write it. `ms` is exact; `days` are calendar days. */
export interface Duration {
  readonly days: number;
  readonly ms: number;
}

const UNITS: readonly (readonly [RegExp, Duration])[] = [
  [/^(ms|millis(econds?)?)$/, { days: 0, ms: 1 }],
  [/^(s|secs?|seconds?)$/, { days: 0, ms: 1_000 }],
  [/^(m|mins?|minutes?)$/, { days: 0, ms: 60_000 }],
  [/^(h|hrs?|hours?)$/, { days: 0, ms: 3_600_000 }],
  [/^(d|days?)$/, { days: 1, ms: 0 }],
  [/^(w|wks?|weeks?)$/, { days: 7, ms: 0 }],
];

/** Longer durations are taken for mistakes. */
const MOST_DAYS = 3_660;

/** Reads `90s`, `1h30m`, `2 days` or `1 week 2 days`. Undefined for any other text. */
export function readDuration(text: string): Duration | undefined {
  const parts = text
    .trim()
    .toLowerCase()
    .matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)[\s,]*/gy);
  let days = 0;
  let ms = 0;
  let read = 0;
  for (const [whole, count = '', name = ''] of parts) {
    const unit = UNITS.find(([pattern]) => pattern.test(name))?.[1];
    if (unit === undefined) return undefined;
    // Calendar days are whole; a fraction of a day is counted in milliseconds.
    const amount = Number(count);
    if (unit.days > 0 && Number.isInteger(amount)) days += amount * unit.days;
    else ms += amount * (unit.ms + unit.days * 86_400_000);
    read += whole.length;
  }
  if (read === 0 || read !== text.trim().length || days + ms / 86_400_000 > MOST_DAYS) return undefined;
  return { days, ms: Math.round(ms) };
}

/** `at` plus a duration. Days keep the time of day across a change to daylight saving time. */
export function addDuration(at: number, { days, ms }: Duration): number {
  const date = new Date(at);
  if (days > 0) date.setDate(date.getDate() + days);
  return date.getTime() + ms;
}
