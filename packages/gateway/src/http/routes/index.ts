import type { Route } from '../route.ts';
import { accessRoutes } from './access.ts';
import { mediaRoutes } from './media.ts';
import { sessionRoutes } from './sessions.ts';
import { systemRoutes } from './system.ts';
import { turnRoutes } from './turns.ts';

/** The gateway's own API. */
export const ownRoutes: readonly Route[] = [
  ...systemRoutes,
  ...accessRoutes,
  ...sessionRoutes,
  ...turnRoutes,
  ...mediaRoutes,
];
