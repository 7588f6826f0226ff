/** The date in UTC: `2026-03-01`. */
export function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The time in UTC: `2026-03-01 10:00`. */
export function minuteText(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}
