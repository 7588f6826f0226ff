import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { reasonOf } from '@plugboard/protocol';
import { StoreError } from '@plugboard/store';
import { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import { type Admission, createAdmission } from './admission.ts';
import { readBody } from './body.ts';
import { type GuardPolicy, guard } from './guard.ts';
import { HEADER_PAIRS } from './headers.ts';
import { describeInvalid } from './invalid-text.ts';
import { peerOf } from './peer.ts';
import { type ErrorBody, Problem } from './problem.ts';
import { respond, respondEarly } from './respond.ts';
import type { Desk, Reply, Route } from './route.ts';
import { createRouter, type Router } from './router.ts';
import { readQuery, readTarget, type Target } from './target.ts';

/** What every request is answered with. */
export interface AppContext {
  readonly gateway: Gateway;
  readonly desk: Desk;
  readonly policy: () => GuardPolicy;
  readonly routes: readonly Route[];
  /** Writes an error in another shape, for routes that imitate somebody else's API. */
  readonly errorShape?: (path: string) => ((problem: Problem, requestId: string) => unknown) | undefined;
}

/** Answers one request. */
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

/** The routes behind their guards. Every request passes the same checks before anything of it is looked at. */
export function createApp(context: AppContext): App {
  const { gateway, desk, routes } = context;
  const inside = { ...context, router: createRouter(routes), admission: createAdmission(gateway, desk) };
  return async (incoming, outgoing) => {
    const call = { incoming, outgoing, requestId: randomUUID() };
    for (const [name, value] of HEADER_PAIRS) outgoing.setHeader(name, value);
    outgoing.setHeader('x-request-id', call.requestId);
    try {
      const reply = await perform(inside, call);
      if (reply !== 'taken') respond(outgoing, reply);
    } catch (error) {
      fail(context, call, error);
    }
    const kind = Math.floor(outgoing.statusCode / 100);
    desk.answered[kind] = (desk.answered[kind] ?? 0) + 1;
  };
}

async function perform(inside: Inside, { incoming, outgoing, requestId }: Call): Promise<Reply> {
  const { gateway, desk, router, admission, policy } = inside;
  const { method = 'GET', url = '' } = incoming;
  const target = readTarget(url);
  const found = router.find(method, target.path);
  const route = found?.route;
  guard(incoming, route, policy());
  const source = peerOf(incoming, gateway.config.server.proxies);
  const principal = await admission.admit(route, incoming, source);
  if (found === undefined) throw new Problem('not-found', 'There is nothing here.');
  if (route === undefined) {
    outgoing.setHeader('allow', found.allow);
    throw new Problem('not-allowed', `This can only be asked with ${found.allow}.`);
  }
  const params = found.params();
  const query = queryOf(route, target);
  const body = await bodyOf(inside, route, incoming);
  return route.handle({
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
  });
}

const NO_QUERY = z.strictObject({});

/** Our own API knows its parameters; pages may be linked to with whatever somebody put there, and are not told of it. */
function queryOf({ query, path }: Route, target: Target): unknown {
  if (query !== undefined) return parse(query, readQuery(target.query), 'query');
  if (target.query !== '' && path.startsWith('/api/')) parse(NO_QUERY, readQuery(target.query), 'query');
  return undefined;
}

async function bodyOf(
  { gateway, desk }: Inside,
  { body }: Route,
  incoming: IncomingMessage,
): Promise<unknown> {
  if (body === undefined || body === 'bytes') return undefined;
  return parse(body, await readBody(incoming, gateway.config.server.bodyBytes, desk.timing.bodyMs), 'body');
}

function parse(schema: z.ZodType, value: unknown, what: 'query' | 'body'): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Problem('invalid', describeInvalid(what, result.error));
}

function isBusy(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === 'busy';
}

/** Disk full and a search that was ended are transient: 503 with `Retry-After`. */
function problemInside(error: unknown, requestId: string): Problem {
  if (isBusy(error)) return new Problem('unavailable', error.message, 5);
  const full = error instanceof Error && 'code' in error && ['full', 'ENOSPC'].includes(String(error.code));
  if (full) return new Problem('unavailable', 'The gateway has no room to keep anything now.', 10);
  return new Problem('failed', `Something went wrong here. Ask the operator about ${requestId}.`);
}

/** The status that is counted for a client that closed the connection before it was answered; nginx uses the same. */
const CLIENT_GONE = 499;

/** What went wrong inside is for the log; who asked gets a number to ask about. */
function fail(
  { gateway, errorShape }: AppContext,
  { incoming, outgoing, requestId }: Call,
  error: unknown,
): void {
  const path = (incoming.url ?? '').split('?', 1)[0] ?? '';
  const problem = error instanceof Problem ? error : problemInside(error, requestId);
  // The client closed the connection: an answer could not be sent, and no error of ours is to be logged.
  if (outgoing.destroyed) {
    outgoing.statusCode = CLIENT_GONE;
    return;
  }
  // A search that was ended is the client's own doing.
  if (problem !== error && !isBusy(error)) {
    gateway.log.error(`A request failed: ${reasonOf(error)}`, { path, request: requestId });
  }
  if (outgoing.headersSent) return void outgoing.destroy();
  const plain: ErrorBody = { error: { code: problem.code, message: problem.message, requestId } };
  const json = errorShape?.(path)?.(problem, requestId) ?? plain;
  const { status, retryAfterSecs } = problem;
  const headers = retryAfterSecs === undefined ? {} : { 'retry-after': String(retryAfterSecs) };
  respondEarly(incoming, outgoing, { status, json, headers });
}
