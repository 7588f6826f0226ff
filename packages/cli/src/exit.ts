import type { End } from '@plugboard/protocol';

/** The exit code that tells how a turn ended. */
export function exitCodeOf(end: End): number {
  switch (end.outcome) {
    case 'success':
      return 0;
    case 'timeout':
      return 124;
    case 'cancelled':
      return 130;
    case 'error':
      return end.started === false ? (end.exitCode ?? 2) : 1;
  }
}
