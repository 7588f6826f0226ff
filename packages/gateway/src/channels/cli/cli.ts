import type { Channel } from '../channel.ts';
import { createLogChannel } from '../log-channel.ts';

/** Channel of `plugboard chat --gateway`. */
export function createCliChannel(): Channel {
  return createLogChannel('cli');
}
