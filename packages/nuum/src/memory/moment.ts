/** The day of an instant, as `2026-03-01`. */
export function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The minute of an instant, in UTC, as `2026-03-01 10:00`. */
export function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}
