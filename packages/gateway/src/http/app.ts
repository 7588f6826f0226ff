import type { IncomingMessage, ServerResponse } from 'node:http';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { reasonOf } from '../log.ts';
import { type Authenticator, bearerOf, createAuthenticator, demand, type Principal } from './auth.ts';
import { readBody } from './body.ts';
import { type GuardPolicy, guard } from './guard.ts';
import { HEADERS } from './headers.ts';
import { createPace, type Pace } from './pace.ts';
import { peerOf } from './peer.ts';
import { type ErrorBody, Problem } from './problem.ts';
import type { Desk, Reply, Route, RouteRequest } from './route.ts';
import { newRequestId } from './routes/system.ts';

/** What every request is answered with. */
export interface AppContext {
  readonly gateway: Gateway;
  readonly desk: Desk;
  readonly policy: () => GuardPolicy;
  readonly routes: readonly Route[];
  /** Writes an error in another shape, for routes that imitate somebody else's API. */
  readonly errorShape?: (path: string) => ((problem: Problem, requestId: string) => unknown) | undefined;
}

interface Env {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse };
}

export type App = Hono<Env>;

/** Nobody: public routes have no need to know. */
const NOBODY: Principal = { id: '', name: '', scopes: [] };

/** The routes behind their guards. Every request passes the same checks before anything of it is looked at. */
export function createApp(context: AppContext): App {
  const { gateway, desk } = context;
  const app: App = new Hono();
  const authenticator = createAuthenticator(gateway.store, desk.now);
  const pace = createPace(() => gateway.config.server.requestsPerMinute, desk.now);
  for (const route of context.routes) {
    app.on(route.method.toUpperCase(), route.path, (c) =>
      answer(context, c.env, c.req.path, (requestId) =>
        perform({ context, route, authenticator, pace, requestId }, c.req.param(), c.env),
      ),
    );
  }
  app.all('*', (c) =>
    answer(context, c.env, c.req.path, () => {
      check(context, c.env.incoming, c.req.path);
      throw new Problem('not-found', 'There is nothing here.');
    }),
  );
  return app;
}

interface Call {
  readonly context: AppContext;
  readonly route: Route;
  readonly authenticator: Authenticator;
  readonly pace: Pace;
  readonly requestId: string;
}

async function perform(
  { context, route, authenticator, pace, requestId }: Call,
  params: Readonly<Record<string, string>>,
  { incoming, outgoing }: Env['Bindings'],
): Promise<Reply> {
  const { gateway, desk } = context;
  check(context, incoming, route.path);
  const source = peerOf(incoming, gateway.config.server.proxies);
  const principal = await admit(route, authenticator, pace, incoming, source);
  const query = route.query === undefined ? undefined : parse(route.query, queryOf(incoming), 'query');
  const body = await bodyOf(route, incoming, gateway.config.server.bodyBytes);
  const request: RouteRequest = {
    params,
    query,
    body,
    principal,
    requestId,
    source,
    incoming,
    outgoing,
    gateway,
    desk,
  };
  return route.handle(request);
}

function check({ policy }: AppContext, incoming: IncomingMessage, path: string): void {
  const { headers, method = 'GET' } = incoming;
  guard(
    {
      method,
      path,
      host: headers.host,
      origin: headers.origin,
      fetchSite: one(headers['sec-fetch-site']),
      contentType: headers['content-type'],
      hasBody: headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined,
      hasBearer: bearerOf(headers.authorization) !== undefined,
    },
    policy(),
  );
}

async function admit(
  { access }: Route,
  authenticator: Authenticator,
  pace: Pace,
  { headers }: IncomingMessage,
  source: string,
): Promise<Principal> {
  if (access === 'public') {
    takeTurn(pace, `address:${source}`);
    return NOBODY;
  }
  const { authorization, cookie } = headers;
  const principal = await authenticator.identify({ authorization, cookie, source });
  takeTurn(pace, principal.id);
  demand(principal, access);
  return principal;
}

function takeTurn(pace: Pace, who: string): void {
  const wait = pace.take(who);
  if (wait !== undefined) throw new Problem('too-many', 'Too many requests. Wait a moment.', wait);
}

async function bodyOf({ body }: Route, incoming: IncomingMessage, limit: number): Promise<unknown> {
  if (body === undefined || body === 'bytes') return undefined;
  return parse(body, await readBody(incoming, limit), 'body');
}

function parse(schema: z.ZodType, value: unknown, what: 'query' | 'body'): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Problem(
    'invalid',
    `The ${what} is not right. ${z.prettifyError(result.error).replaceAll('\n', ' ')}`,
  );
}

function queryOf({ url = '/' }: IncomingMessage): Record<string, string> {
  const at = url.indexOf('?');
  return at === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(at + 1)));
}

async function answer(
  context: AppContext,
  { outgoing }: Env['Bindings'],
  path: string,
  work: (requestId: string) => Reply | Promise<Reply>,
): Promise<Response> {
  const requestId = newRequestId();
  for (const [name, value] of Object.entries(HEADERS)) outgoing.setHeader(name, value);
  outgoing.setHeader('x-request-id', requestId);
  try {
    const reply = await work(requestId);
    if (reply !== 'taken') write(outgoing, reply);
  } catch (error) {
    fail(context, outgoing, path, requestId, error);
  }
  return ANSWERED;
}

/** Says to the server that the answer has been written; see `RESPONSE_ALREADY_SENT` of its adapter. */
const ANSWERED = new Response(null, { headers: { 'x-hono-already-sent': 'true' } });

function write(outgoing: ServerResponse, reply: Exclude<Reply, 'taken'>): void {
  for (const [name, value] of Object.entries(reply.headers ?? {})) outgoing.setHeader(name, value);
  if ('text' in reply) return void outgoing.writeHead(reply.status).end(reply.text);
  if (reply.json === undefined) return void outgoing.writeHead(reply.status).end();
  outgoing.setHeader('cache-control', 'no-store');
  const body = Buffer.from(JSON.stringify(reply.json));
  outgoing.writeHead(reply.status, { 'content-type': 'application/json', 'content-length': body.length });
  outgoing.end(body);
}

/** What went wrong inside is for the log; who asked gets a number to ask about. */
function fail(
  context: AppContext,
  outgoing: ServerResponse,
  path: string,
  requestId: string,
  error: unknown,
): void {
  const problem =
    error instanceof Problem
      ? error
      : new Problem('failed', `Something went wrong here. Ask the operator about ${requestId}.`);
  if (problem.code === 'failed') {
    context.gateway.log.error(`A request failed: ${reasonOf(error)}`, { path, request: requestId });
  }
  if (outgoing.headersSent) return void outgoing.destroy();
  const plain: ErrorBody = { error: { code: problem.code, message: problem.message, requestId } };
  const json = context.errorShape?.(path)?.(problem, requestId) ?? plain;
  const retry = problem.retryAfterSecs === undefined ? {} : { 'retry-after': String(problem.retryAfterSecs) };
  // What was not read of the request must not be taken for the next one.
  const headers = { ...retry, ...(problem.code === 'too-large' ? { connection: 'close' } : {}) };
  write(outgoing, { status: problem.status, json, headers });
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
