import type { IncomingMessage } from 'node:http';
import type { Gateway } from '../gateway.ts';
import { bearerOf, cookieOf, demand, LOCAL, type Principal } from './auth.ts';
import { createPace } from './pace.ts';
import { isFromThisMachine } from './peer.ts';
import { Problem } from './problem.ts';
import type { Desk, Route } from './route.ts';

/** Nobody: public routes have no need to know. */
const NOBODY: Principal = { id: '', name: '', scopes: [], hash: '' };

/** Lets requests through, one by one. */
export interface Admission {
  /** Who this is, if they may do this, and not too often; rejects with a Problem. Without a route, nobody is asked who they are. */
  admit(route: Route | undefined, incoming: IncomingMessage, source: string): Principal | Promise<Principal>;
}

/** Tokens are counted by themselves, and those who show none by their address. */
export function createAdmission(gateway: Gateway, { authenticator, now }: Desk): Admission {
  const pace = createPace(() => gateway.config.server.requestsPerMinute, now);
  const take = (who: string): void => {
    const wait = pace.take(who);
    if (wait !== undefined) throw new Problem('too-many', 'Too many requests. Wait a moment.', wait);
  };
  const identified = async (
    access: Exclude<Route['access'], 'public'>,
    incoming: IncomingMessage,
    source: string,
  ): Promise<Principal> => {
    const { authorization, cookie } = incoming.headers;
    const principal = await authenticator.identify({ authorization, cookie, source });
    take(principal.id);
    if (principal.scopes.includes(LOCAL) && !isFromThisMachine(incoming))
      throw new Problem('forbidden', 'This token is good on the machine of the gateway alone.');
    demand(principal, access);
    return principal;
  };
  return {
    admit(route, incoming, source) {
      const { headers } = incoming;
      const anonymous =
        bearerOf(headers.authorization) === undefined && cookieOf(headers.cookie) === undefined;
      const open = route === undefined || route.access === 'public';
      if (open || anonymous) take(`address:${source}`);
      return open ? NOBODY : identified(route.access, incoming, source);
    },
  };
}
