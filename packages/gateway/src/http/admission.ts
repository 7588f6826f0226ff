import type { IncomingMessage } from 'node:http';
import type { Gateway } from '../gateway.ts';
import { bearerOf, cookieOf, LOCAL, type Principal } from './auth.ts';
import { authorize } from './authorize.ts';
import { isFromThisMachine } from './peer.ts';
import { Problem } from './problem.ts';
import { createRateLimit } from './rate-limit.ts';
import { type HttpServices, kindOf, type Route, scopeOf } from './route.ts';

/** `principal` of requests to public routes, which need no token. */
const NOBODY: Principal = { id: '', name: '', scopes: [], hash: '' };

/** Authenticates, authorizes and rate-limits each request. */
export interface Admission {
  /**
   * The principal of the request. Rejects with a `Problem` for an unknown token, a missing scope or too many requests.
   * Without a `route` no token is looked up.
   */
  admit(route: Route | undefined, incoming: IncomingMessage, source: string): Principal | Promise<Principal>;
}

/** Requests are limited per token, and per address when they carry no token. */
export function createAdmission(gateway: Gateway, { authenticator, now }: HttpServices): Admission {
  const rateLimit = createRateLimit(() => gateway.config.server.requestsPerMinute, now);
  const take = (who: string): void => {
    const wait = rateLimit.take(who);
    if (wait !== undefined) throw new Problem('too-many', 'Too many requests. Wait a moment.', wait);
  };
  const identified = async (route: Route, incoming: IncomingMessage, source: string): Promise<Principal> => {
    const { authorization, cookie } = incoming.headers;
    const principal = await authenticator.identify({ authorization, cookie, source });
    take(principal.id);
    if (principal.scopes.includes(LOCAL) && !isFromThisMachine(incoming))
      throw new Problem('forbidden', 'This token is good on the machine of the gateway alone.');
    const refusal = authorize(principal, { kind: kindOf(route) });
    if (refusal?.code === 'forbidden') throw new Problem('forbidden', refusal.message);
    return principal;
  };
  return {
    admit(route, incoming, source) {
      const { headers } = incoming;
      const anonymous =
        bearerOf(headers.authorization) === undefined && cookieOf(headers.cookie) === undefined;
      const open = route === undefined || scopeOf(route) === 'public';
      if (open || anonymous) take(`address:${source}`);
      return open ? NOBODY : identified(route, incoming, source);
    },
  };
}
