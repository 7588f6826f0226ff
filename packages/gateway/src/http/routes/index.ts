import type { Route } from '../route.ts';
import { accessRoutes } from './access.ts';
import { deliveryRoutes } from './deliveries.ts';
import { mediaRoutes } from './media.ts';
import { messageRoutes } from './messages.ts';
import { sessionRoutes } from './sessions.ts';
import { systemRoutes } from './system.ts';
import { turnRoutes } from './turns.ts';

/** The gateway's own API. */
export const ownRoutes: readonly Route[] = [
  ...systemRoutes,
  ...accessRoutes,
  ...sessionRoutes,
  ...messageRoutes,
  ...turnRoutes,
  ...mediaRoutes,
  ...deliveryRoutes,
];
