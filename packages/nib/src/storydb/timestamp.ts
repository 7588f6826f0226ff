/** Formats the time of a row: UTC, whole seconds. */
export function formatTimestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}
