/** The moment a row was written: UTC, whole seconds. */
export function stamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}
