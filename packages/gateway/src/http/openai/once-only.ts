import { Problem } from '../problem.ts';
import type { Reply, RouteRequest } from '../route.ts';

/** What comes out the same when it is asked again, or costs a turn of an agent. */
const FINAL: ReadonlySet<string> = new Set(['agent-failed', 'conflict']);

/** Official clients ask again by themselves after such statuses. They are told not to: an agent may have done something. */
export function onceOnly(
  handle: (request: RouteRequest) => Promise<Reply>,
): (request: RouteRequest) => Promise<Reply> {
  return async (request) => {
    try {
      return await handle(request);
    } catch (error) {
      const final = error instanceof Problem && FINAL.has(error.code);
      if (final && !request.outgoing.headersSent) request.outgoing.setHeader('x-should-retry', 'false');
      throw error;
    }
  };
}
