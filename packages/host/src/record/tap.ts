import type { Ending } from '@plugboard/process';
import type { HostInput } from '@plugboard/protocol';

/** Sees every byte that goes between host and agent, and how the process ended. */
export interface Tap {
  write(stream: 'stdin' | 'stdout' | 'stderr', bytes: Uint8Array): void;
  /** Sees each input of the machine except `line`, before it is stepped from `state`. */
  step?(input: HostInput, state: unknown): void;
  end(ending: Ending): void;
}
