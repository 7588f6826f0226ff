/** Limits for a process and its descendants; an absent field means no limit. */
export interface ResourceLimits {
  readonly memoryBytes?: number;
  /** Concurrent processes; threads count, as for RLIMIT_NPROC. */
  readonly processes?: number;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Formats a size for messages: `512 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < UNITS.length - 1; unit += 1) value /= 1024;
  return `${Number(value.toFixed(1))} ${UNITS[unit]}`;
}
