import type { Gateway } from '../gateway.ts';
import { createApp } from './app.ts';
import { createAuthenticator } from './auth.ts';
import { createLoginCodes, type LoginCodes } from './codes.ts';
import { type GuardPolicy, hostOf, policyFor } from './guard.ts';
import { createGuesses } from './guesses.ts';
import { openaiError } from './openai/error.ts';
import { createOpenaiRoutes } from './openai/routes.ts';
import { createReadiness } from './readiness.ts';
import type { Desk, Route } from './route.ts';
import { descriptionRoutes } from './routes/description.ts';
import { ownRoutes } from './routes/index.ts';
import { pageRoutes } from './routes/page.ts';
import { createSearchLimit } from './search-limit.ts';
import { listen } from './server.ts';
import { TIMING, type Timing } from './timing.ts';
import { createVigil } from './vigil.ts';

export interface HttpOptions {
  /** Milliseconds of a clock that is never set back: durations are measured by it. */
  readonly now: () => number;
  /** What the description of the API calls itself. */
  readonly version: string;
  /** Where the built page lies; without it there is no page. */
  readonly page?: string;
  /** Other patience than usual. */
  readonly timing?: Partial<Timing>;
}

/** The gateway's door: HTTP on one port. */
export interface HttpDoor {
  readonly port: number;
  /** What a browser is to be sent to. */
  readonly url: string;
  readonly codes: LoginCodes;
  close(graceMs: number): Promise<void>;
}

/** Everything that can be asked, page and description included. */
export function allRoutes(options: Pick<HttpOptions, 'page' | 'version'>): readonly Route[] {
  const api = [...ownRoutes, ...createOpenaiRoutes()];
  const description = descriptionRoutes(() => routes, options.version);
  const page = options.page === undefined ? [] : pageRoutes(options.page);
  const routes = [...api, ...description, ...page];
  return routes;
}

/** Opens the door. Rejects with a sentence that says what to do when the port cannot be had. */
export async function openHttp(gateway: Gateway, options: HttpOptions): Promise<HttpDoor> {
  const { host, port, publicUrl } = gateway.config.server;
  const timing = { ...TIMING, ...options.timing };
  const desk = deskFor(gateway, options.now, timing);
  const app = createApp({
    gateway,
    desk,
    policy: policyOf(gateway),
    routes: allRoutes(options),
    errorShape: (path) => (path.startsWith('/v1/') ? openaiError : undefined),
  });
  const proxies = (): readonly string[] => gateway.config.server.proxies;
  const server = await listen(app, { host, port, timing, proxies });
  const bound = server.address.port;
  return {
    port: bound,
    url: publicUrl?.replace(/\/$/, '') ?? `http://${hostOf(EVERYWHERE[host] ?? host)}:${bound}`,
    codes: desk.codes,
    close: (graceMs) => server.close(graceMs),
  };
}

/** Where a gateway that listens everywhere can be found from its own machine. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function deskFor(gateway: Gateway, now: () => number, timing: Timing): Desk {
  const { config, store } = gateway;
  const guesses = createGuesses(now);
  return {
    codes: createLoginCodes(now),
    guesses,
    authenticator: createAuthenticator(store, guesses, now),
    readiness: createReadiness(gateway, now),
    searches: createSearchLimit(),
    vigil: createVigil(store.tokens, timing.vigilMs),
    timing,
    answered: [],
    now,
    secureCookies: config.server.publicUrl?.startsWith('https:') ?? false,
  };
}

/** Made anew when the configuration is another one, not for every request. */
function policyOf(gateway: Gateway): () => GuardPolicy {
  let server = gateway.config.server;
  let policy = policyFor(server.names, server.publicUrl);
  return () => {
    if (server === gateway.config.server) return policy;
    server = gateway.config.server;
    policy = policyFor(server.names, server.publicUrl);
    return policy;
  };
}
