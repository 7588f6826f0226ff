/**
 * The current time as the kernel stamps files: `Date.now`, because a monotonic clock cannot be compared with `mtimeMs`.
 */
export function currentFileTime(): number {
  return Date.now();
}
