import type { Gateway } from '../gateway.ts';
import { createApp } from './app.ts';
import { createLoginCodes, type LoginCodes } from './codes.ts';
import { policyFor } from './guard.ts';
import { openaiError } from './openai/error.ts';
import { createOpenaiRoutes } from './openai/routes.ts';
import type { Route } from './route.ts';
import { descriptionRoutes } from './routes/description.ts';
import { ownRoutes } from './routes/index.ts';
import { pageRoutes } from './routes/page.ts';
import { listen } from './server.ts';

export interface HttpOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What the description of the API calls itself. */
  readonly version: string;
  /** Where the built page lies; without it there is no page. */
  readonly page?: string;
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
  const { now } = options;
  const { host, port, publicUrl } = gateway.config.server;
  const codes = createLoginCodes(now);
  const secureCookies = publicUrl?.startsWith('https:') ?? false;
  let bound = port;
  const app = createApp({
    gateway,
    desk: { codes, now, secureCookies },
    policy: () => policyFor(bound, gateway.config.server.names, gateway.config.server.publicUrl),
    routes: allRoutes(options),
    errorShape: (path) => (path.startsWith('/v1/') ? openaiError : undefined),
  });
  const server = await listen(app, { host, port });
  bound = server.address.port;
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return {
    port: bound,
    url: publicUrl ?? `http://${shownHost}:${bound}`,
    codes,
    close: (graceMs) => server.close(graceMs),
  };
}
