const DAY = 86_400_000;

const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export const clockText = (at: number): string => clock.format(at);
export const fullText = (at: number): string => full.format(at);

/** A time as briefly as possible: `now`, the clock, the weekday, or the date. */
export function shortTime(at: number, now: number): string {
  if (now - at < 60_000) return 'now';
  const days = daysBetween(at, now);
  if (days <= 1) return clock.format(at);
  return days < 7 ? weekday.format(at) : date.format(at);
}

/** The heading a session belongs under. */
export function dayGroup(at: number, now: number): string {
  const days = daysBetween(at, now);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return days < 7 ? 'Earlier this week' : 'Earlier';
}

function daysBetween(at: number, now: number): number {
  return Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / DAY);
}

/** A duration in words such as 340 ms, 4.2 s, 3:07 or 2:03:07. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 1) return '< 1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  return formatCountdown(ms);
}

/** Whole seconds as m:ss or h:mm:ss. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** 1st, 2nd, 3rd, 4th … */
export function formatOrdinal(value: number): string {
  const last = value % 100 >= 11 && value % 100 <= 13 ? 0 : value % 10;
  return `${value}${['th', 'st', 'nd', 'rd'][last] ?? 'th'}`;
}
