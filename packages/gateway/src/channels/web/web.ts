import type { Channel } from '../channel.ts';
import { createLogChannel } from '../log-channel.ts';

/** Channel of the web page. */
export function createWebChannel(): Channel {
  return createLogChannel('web');
}
