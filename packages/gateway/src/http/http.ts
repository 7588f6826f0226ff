import type { Gateway } from '../gateway.ts';
import { createApp } from './app.ts';
import { createAuthenticator } from './auth.ts';
import { type GuardPolicy, hostOf, policyFor } from './guard.ts';
import { createGuessLimit } from './guess-limit.ts';
import { createLoginCodes, type LoginCodes } from './login-codes.ts';
import { openaiError } from './openai/error.ts';
import { createOpenaiRoutes } from './openai/routes.ts';
import { createReadiness } from './readiness.ts';
import type { HttpServices, Route } from './route.ts';
import { descriptionRoutes } from './routes/description.ts';
import { ownRoutes } from './routes/index.ts';
import { pageRoutes } from './routes/page.ts';
import { createSearchLimit } from './search-limit.ts';
import { startServer } from './server.ts';
import { TIMING, type Timing } from './timing.ts';
import { createTokenWatch } from './token-watch.ts';

export interface HttpOptions {
  /** Monotonic clock in milliseconds, for durations. */
  readonly now: () => number;
  /** `info.version` of the OpenAPI document. */
  readonly version: string;
  /** Directory of the built web page; without it no page is served. */
  readonly page?: string;
  /** Overrides of `TIMING`. */
  readonly timing?: Partial<Timing>;
}

/** The HTTP server of the gateway, on one port. */
export interface HttpDoor {
  readonly port: number;
  /** URL to open in a browser. */
  readonly url: string;
  readonly codes: LoginCodes;
  close(graceMs: number): Promise<void>;
}

/** All routes: API, OpenAI routes, description and web page. */
export function allRoutes(options: Pick<HttpOptions, 'page' | 'version'>): readonly Route[] {
  const api = [...ownRoutes, ...createOpenaiRoutes()];
  const description = descriptionRoutes(() => routes, options.version);
  const page = options.page === undefined ? [] : pageRoutes(options.page);
  const routes = [...api, ...description, ...page];
  return routes;
}

/** Starts the server. Rejects with a message for the operator when the port is in use or not allowed. */
export async function openHttp(gateway: Gateway, options: HttpOptions): Promise<HttpDoor> {
  const { host, port, publicUrl } = gateway.config.server;
  const timing = { ...TIMING, ...options.timing };
  const services = createServices(gateway, options.now, timing);
  const app = createApp({
    gateway,
    services,
    policy: policyOf(gateway),
    routes: allRoutes(options),
    errorShape: (path) => (path.startsWith('/v1/') ? openaiError : undefined),
  });
  const proxies = (): readonly string[] => gateway.config.server.proxies;
  const server = await startServer(app, { host, port, timing, proxies });
  const bound = server.address.port;
  return {
    port: bound,
    url: publicUrl?.replace(/\/$/, '') ?? `http://${hostOf(EVERYWHERE[host] ?? host)}:${bound}`,
    codes: services.codes,
    close: (graceMs) => server.close(graceMs),
  };
}

/** Loopback addresses by the wildcard addresses that include them, for `url`. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function createServices(gateway: Gateway, now: () => number, timing: Timing): HttpServices {
  const { config, store } = gateway;
  const guesses = createGuessLimit(now);
  return {
    codes: createLoginCodes(now),
    guesses,
    authenticator: createAuthenticator(store, guesses, now),
    readiness: createReadiness(gateway, now),
    searches: createSearchLimit(),
    tokenWatch: createTokenWatch(store.tokens, timing.tokenWatchMs),
    timing,
    answered: [],
    now,
    secureCookies: config.server.publicUrl?.startsWith('https:') ?? false,
  };
}

/** Cached until the configuration changes, because every request needs the policy. */
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
