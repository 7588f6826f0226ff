/** How much of the machine a process and its descendants may take; absent fields are not limited. */
export interface ResourceLimits {
  readonly memoryBytes?: number;
  /** Processes at a time, threads counted as the kernel counts them. */
  readonly processes?: number;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A size for people: `512 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < UNITS.length - 1; unit += 1) value /= 1024;
  return `${Number(value.toFixed(1))} ${UNITS[unit]}`;
}
