import { addDuration, type Duration, readDuration } from './duration.ts';

/** The time of an alarm, as the model gives it. */
export interface WhenInput {
  readonly in?: string | undefined;
  readonly at?: string | undefined;
  readonly every?: string | undefined;
}

export type When =
  | { readonly ok: true; readonly firesAt: number; readonly every?: string }
  | { readonly ok: false; readonly problem: string };

/** More frequent alarms would fill all the time of the agent. */
const SHORTEST_EVERY_MS = 10_000;

/** The time of the first ring, or a sentence that says what is wrong with the input. */
export function readWhen(input: WhenInput, now: number): When {
  const { in: delay, at, every } = input;
  const repeat = every === undefined ? undefined : readDuration(every);
  if (every !== undefined && (repeat === undefined || isTooShort(repeat))) {
    return {
      ok: false,
      problem: `\`every\` must be a length of time of 10 s or more, such as "1h" or "1 day"; not ${JSON.stringify(every)}.`,
    };
  }
  if ((delay === undefined) === (at === undefined) && !(delay === undefined && repeat !== undefined)) {
    return { ok: false, problem: 'Give either `in`, a length of time, or `at`, a time; not both.' };
  }
  const firesAt = at !== undefined ? timeOf(at, now) : firesAfter(delay ?? every ?? '', now);
  if (typeof firesAt === 'string') return { ok: false, problem: firesAt };
  return { ok: true, firesAt, ...(every === undefined ? {} : { every }) };
}

function isTooShort({ days, ms }: Duration): boolean {
  return days === 0 && ms < SHORTEST_EVERY_MS;
}

function firesAfter(text: string, now: number): number | string {
  const duration = readDuration(text);
  if (duration !== undefined) return addDuration(now, duration);
  return `\`in\` must be a length of time, such as "90s", "1h30m" or "2 days"; not ${JSON.stringify(text)}.`;
}

/**
 * Reads a date and time, or a time of day, which means its next occurrence. Times without an offset are in the local
 * time zone.
 */
function timeOf(text: string, now: number): number | string {
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text.trim());
  const at = clock === null ? Date.parse(text.trim().replace(' ', 'T')) : nextTimeOfDay(clock, now);
  if (Number.isNaN(at)) {
    return `\`at\` must be a time, such as "2026-11-16T09:00" or "09:00"; not ${JSON.stringify(text)}.`;
  }
  if (at >= now - 1_000) return at;
  return `\`at\` is ${new Date(at).toISOString()}, which is past: it is ${new Date(now).toISOString()}.`;
}

function nextTimeOfDay([, hours, minutes, seconds]: RegExpExecArray, now: number): number {
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59) return Number.NaN;
  const date = new Date(now);
  date.setHours(Number(hours), Number(minutes), Number(seconds ?? 0), 0);
  return date.getTime() > now ? date.getTime() : addDuration(date.getTime(), { days: 1, ms: 0 });
}

/**
 * The next time of a repeated alarm after `now`. Missed times are skipped. NaN when `every` is not a valid duration.
 */
export function nextRing(firesAt: number, every: string, now: number): number {
  const duration = readDuration(every);
  if (duration === undefined || isTooShort(duration)) return Number.NaN;
  // Durations in milliseconds are skipped by division: years of missed rings would take too many steps.
  const missed = duration.days === 0 ? Math.max(0, Math.floor((now - firesAt) / duration.ms)) : 0;
  let next = addDuration(firesAt + missed * duration.ms, duration);
  while (next <= now) next = addDuration(next, duration);
  return next;
}
