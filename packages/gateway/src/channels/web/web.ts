import type { Channel } from '../channel.ts';
import { createLogChannel } from '../log-channel.ts';

/** The page that the gateway serves. */
export function createWebChannel(): Channel {
  return createLogChannel('web');
}
