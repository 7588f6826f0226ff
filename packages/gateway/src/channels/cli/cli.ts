import type { Channel } from '../channel.ts';
import { createLogChannel } from '../log-channel.ts';

/** People who talk to the gateway from a terminal: `plugboard chat --gateway`. */
export function createCliChannel(): Channel {
  return createLogChannel('cli');
}
