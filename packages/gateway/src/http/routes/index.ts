import type { Route } from '../route.ts';
import { accessRoutes } from './access.ts';
import { askRoutes } from './asks.ts';
import { channelRoutes } from './channels.ts';
import { deliveryRoutes } from './deliveries.ts';
import { hookRoutes } from './hooks.ts';
import { mediaRoutes } from './media.ts';
import { messageRoutes } from './messages.ts';
import { nodeRoutes } from './nodes.ts';
import { sessionRoutes } from './sessions.ts';
import { systemRoutes } from './system.ts';
import { turnRoutes } from './turns.ts';

/** Routes below `/api/`, and those of the system. */
export const ownRoutes: readonly Route[] = [
  ...systemRoutes,
  ...accessRoutes,
  ...sessionRoutes,
  ...messageRoutes,
  ...turnRoutes,
  ...askRoutes,
  ...mediaRoutes,
  ...deliveryRoutes,
  ...channelRoutes,
  ...hookRoutes,
  ...nodeRoutes,
];
