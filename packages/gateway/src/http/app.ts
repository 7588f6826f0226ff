import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { reasonOf } from '@plugboard/protocol';
import { StoreError } from '@plugboard/store';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { MediaUnavailableError } from '../media/media-error.ts';
import { type Admission, createAdmission } from './admission.ts';
import { readBody } from './body.ts';
import { type GuardPolicy, guardRequest } from './guard.ts';
import { HEADER_PAIRS } from './headers.ts';
import { describeInvalid } from './invalid-text.ts';
import { peerOf } from './peer.ts';
import { type ErrorBody, Problem } from './problem.ts';
import { lookUp } from './resources.ts';
import { endIfRestDrips, respond, respondEarly } from './respond.ts';
import type { HttpServices, Reply, Route, RouteRequest } from './route.ts';
import { createRouter, type Router } from './router.ts';
import { readQuery, readTarget, type Target } from './target.ts';

/** Context of all requests. */
export interface AppContext {
  readonly gateway: Gateway;
  readonly services: HttpServices;
  readonly policy: () => GuardPolicy;
  readonly routes: readonly Route[];
  /** Returns the error format of a path, for routes that imitate another API (`openaiError`). */
  readonly errorShape?: (path: string) => ((problem: Problem, requestId: string) => unknown) | undefined;
}

/** Request listener of the server. */
export type App = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

interface Inside extends AppContext {
  readonly router: Router;
  readonly admission: Admission;
}

interface Call {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly requestId: string;
}

/** Creates the listener. Every request passes `guardRequest`, the router and `admit` before its body is read. */
export function createApp(context: AppContext): App {
  const { gateway, services, routes } = context;
  const inside = { ...context, router: createRouter(routes), admission: createAdmission(gateway, services) };
  return async (incoming, outgoing) => {
    const call = { incoming, outgoing, requestId: randomUUID() };
    for (const [name, value] of HEADER_PAIRS) outgoing.setHeader(name, value);
    outgoing.setHeader('x-request-id', call.requestId);
    try {
      const reply = await answerRequest(inside, call);
      if (reply !== 'taken') {
        endIfRestDrips(incoming);
        respond(outgoing, reply);
      }
    } catch (error) {
      answerError(context, call, error);
    }
    const kind = Math.floor(outgoing.statusCode / 100);
    services.answered[kind] = (services.answered[kind] ?? 0) + 1;
  };
}

async function answerRequest(inside: Inside, { incoming, outgoing, requestId }: Call): Promise<Reply> {
  const { gateway, services, router, admission, policy } = inside;
  const { method = 'GET', url = '' } = incoming;
  const target = readTarget(url);
  const match = router.find(method, target.path);
  const route = match?.route;
  guardRequest(incoming, route, policy());
  const source = peerOf(incoming, gateway.config.server.proxies);
  const principal = await admission.admit(route, incoming, source);
  if (match === undefined) throw new Problem('not-found', 'There is nothing here.');
  if (route === undefined) {
    outgoing.setHeader('allow', match.allow);
    throw new Problem('not-allowed', `This can only be asked with ${match.allow}.`);
  }
  const params = match.params();
  const query = queryOf(route, target);
  const sent = await sentBody(inside, route, incoming);
  const body = sent === undefined ? undefined : parseBody(inside, route, sent);
  const context = { principal, requestId, source, incoming, outgoing, gateway, services };
  const request = { params, query, body, sent, found: undefined, ...context };
  return route.handle({ ...request, found: await findResources(request, route) });
}

/** Authorizes the resources that the request names; returns the one of `Route.resource`. */
async function findResources(request: RouteRequest, { resource, mentions = [] }: Route): Promise<unknown> {
  const found = typeof resource === 'string' ? undefined : await lookUp(request, resource);
  for (const mention of mentions) await lookUp(request, mention);
  return found;
}

const NO_QUERY = z.strictObject({});

/** `/api/` routes refuse unknown parameters. Pages ignore them, because links to pages may carry any query. */
function queryOf({ query, path }: Route, target: Target): unknown {
  if (query !== undefined) return parseWith(query, readQuery(target.query), 'query');
  if (target.query !== '' && path.startsWith('/api/')) parseWith(NO_QUERY, readQuery(target.query), 'query');
  return undefined;
}

/** The JSON body; undefined when the route has none, or reads it itself. */
async function sentBody(
  { gateway, services }: Inside,
  { body }: Route,
  incoming: IncomingMessage,
): Promise<unknown> {
  if (body === undefined || body === 'bytes') return undefined;
  return readBody(incoming, gateway.config.server.bodyBytes, services.timing.bodyMs);
}

function parseBody({ gateway }: Inside, route: Route, sent: unknown): unknown {
  if (route.parseBody !== undefined) return route.parseBody(sent, gateway.config);
  return route.body === undefined || route.body === 'bytes' ? undefined : parseWith(route.body, sent, 'body');
}

function parseWith(schema: z.ZodType, value: unknown, what: 'query' | 'body'): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Problem('invalid', describeInvalid(what, result.error));
}

function isBusy(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === 'busy';
}

/** A full disk, a cancelled search and a database that is away are transient: 503 with `Retry-After`. */
function problemInside(thrown: unknown, requestId: string): Problem {
  const isMedia = thrown instanceof MediaUnavailableError;
  const error = isMedia ? (thrown.cause ?? thrown) : thrown;
  if (isBusy(error)) return new Problem('unavailable', error.message, 5);
  const full = error instanceof Error && 'code' in error && ['full', 'ENOSPC'].includes(String(error.code));
  if (full) return new Problem('unavailable', 'The gateway has no room to keep anything now.', 10);
  if (error instanceof StoreError && error.code === 'unavailable')
    return new Problem('unavailable', 'The database of the gateway does not answer now.', 10);
  if (isMedia) return new Problem('unavailable', 'Files can be neither kept nor read now. Try again.', 10);
  return new Problem('failed', `Something went wrong here. Ask the operator about ${requestId}.`);
}

/** Status in the metrics for a client that disconnected before the answer; nginx uses 499 too. */
const CLIENT_GONE = 499;

/**
 * Answers with a `Problem`. Internal errors go to the log only; the client gets the `requestId` under which they are
 * logged.
 */
function answerError(
  { gateway, errorShape }: AppContext,
  { incoming, outgoing, requestId }: Call,
  error: unknown,
): void {
  const path = (incoming.url ?? '').split('?', 1)[0] ?? '';
  const problem = error instanceof Problem ? error : problemInside(error, requestId);
  // The client has disconnected: no answer can be sent, and this is not an error to log.
  if (outgoing.destroyed) {
    outgoing.statusCode = CLIENT_GONE;
    return;
  }
  // `isBusy`: the client caused the cancelled search, so that it is not logged.
  if (problem !== error && !isBusy(error)) {
    gateway.log.error(`A request failed: ${reasonOf(error)}`, {
      code: 'request-failed',
      path,
      request: requestId,
    });
  }
  if (outgoing.headersSent) return void outgoing.destroy();
  const plain: ErrorBody = { error: { code: problem.code, message: problem.message, requestId } };
  const json = errorShape?.(path)?.(problem, requestId) ?? plain;
  const { status, retryAfterSecs } = problem;
  const headers = retryAfterSecs === undefined ? {} : { 'retry-after': String(retryAfterSecs) };
  respondEarly(incoming, outgoing, { status, json, headers });
}
