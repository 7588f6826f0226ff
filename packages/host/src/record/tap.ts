import type { Ending } from '@plugboard/process';

/** Sees every byte that goes between host and agent, and how the process ended. */
export interface Tap {
  write(stream: 'stdin' | 'stdout' | 'stderr', bytes: Uint8Array): void;
  end(ending: Ending): void;
}
