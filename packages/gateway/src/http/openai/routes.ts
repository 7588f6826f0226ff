import type { Route } from '../route.ts';
import { chatRoute } from './chat/route.ts';
import { createContinuations } from './conversation/continuations.ts';
import { modelRoutes } from './models.ts';
import { responseRoutes } from './responses/routes.ts';

/** OpenAI routes: every agent is a model. */
export function createOpenaiRoutes(): readonly Route[] {
  const continuations = createContinuations();
  return [...modelRoutes, chatRoute(continuations), ...responseRoutes(continuations)];
}
