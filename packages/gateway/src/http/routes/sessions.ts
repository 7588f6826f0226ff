import { randomUUID } from 'node:crypto';
import type { Session } from '@plugboard/store';
import { z } from 'zod';
import { appoint, closeSession, stop } from '../../sessions/control.ts';
import { mayInspect, mayUse, type Principal } from '../auth.ts';
import { disconnectionOf } from '../disconnection.ts';
import { Problem } from '../problem.ts';
import { type Route, type RouteRequest, route } from '../route.ts';
import { listSessions } from '../session-list.ts';
import { streamSession } from '../session-stream.ts';
import { eventView, sessionView } from '../shapes.ts';
import { maySee } from '../sight.ts';
import { viewEvent, viewSession } from '../views.ts';

const name = z.string().min(1).max(64);
const numbered = z.coerce.number().int().min(0);

const newSession = z.strictObject({
  agent: name.optional(),
  channel: z.enum(['web', 'cli', 'api']).default('web'),
  place: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Names the place; the same one again gives the same session.'),
});

export const sessionRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/sessions',
    access: 'chat',
    tag: 'sessions',
    summary: 'Lists sessions, newest first.',
    query: z.strictObject({
      search: z.string().max(500).optional(),
      from: z
        .enum(['people', 'programs'])
        .optional()
        .describe('Programs are those that use /v1, or begin sessions with the channel "api".'),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      cursor: z.string().max(200).optional(),
    }),
    answers: {
      200: {
        description: 'A page.',
        schema: z.object({ sessions: z.array(sessionView), next: z.string().nullable() }),
      },
    },
    async handle({ query, gateway, principal, outgoing, desk }) {
      const { search = '', limit, cursor, from } = query;
      const listing = {
        limit,
        ...(cursor === undefined ? {} : { cursor }),
        ...(from === undefined ? {} : { from }),
      };
      const searching = { ...listing, search, signal: disconnectionOf(outgoing) };
      const { sessions, next } = await (search.trim() === ''
        ? listSessions(gateway.store, principal, listing)
        : desk.searches.run(principal.id, () => listSessions(gateway.store, principal, searching)));
      return { status: 200, json: { sessions: sessions.map((one) => viewSession(gateway, one)), next } };
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions',
    access: 'chat',
    tag: 'sessions',
    summary: 'Begins a session, or finds the live one of a place.',
    body: newSession,
    answers: {
      201: { description: 'A new session.', schema: sessionView },
      200: { description: 'The live session of the place.', schema: sessionView },
    },
    async handle({ body, gateway, principal }) {
      const agent = body.agent ?? gateway.agents.defaultName;
      checkAgent(gateway, principal, agent);
      const place = body.place ?? randomUUID();
      const opened = await gateway.store.sessions.open({ channel: body.channel, place, agent });
      const { begun, ...session } = opened;
      if (!(await maySee(gateway.store, principal, session)))
        throw new Problem('conflict', 'This place is taken.');
      gateway.feed.changed(session.id);
      return { status: begun ? 201 : 200, json: viewSession(gateway, session) };
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/:id',
    access: 'chat',
    tag: 'sessions',
    summary: 'Tells of one session.',
    answers: { 200: { description: 'The session.', schema: sessionView } },
    handle: async (request) => ({
      status: 200,
      json: viewSession(request.gateway, await sessionOf(request)),
    }),
  }),
  route({
    method: 'patch',
    path: '/api/sessions/:id',
    access: 'chat',
    tag: 'sessions',
    summary: 'Renames a session, or lets another agent answer.',
    body: z.strictObject({ title: z.string().max(200).optional(), agent: name.optional() }),
    answers: { 200: { description: 'The session.', schema: sessionView } },
    async handle(request) {
      const { gateway, body, principal } = request;
      const session = await sessionOf(request);
      if (body.agent !== undefined) checkAgent(gateway, principal, body.agent);
      if (body.title !== undefined) await gateway.store.sessions.rename(session.id, body.title);
      if (body.agent !== undefined) await appoint(gateway.engine, session.id, body.agent);
      gateway.feed.changed(session.id);
      return { status: 200, json: viewSession(gateway, await sessionOf(request)) };
    },
  }),
  route({
    method: 'delete',
    path: '/api/sessions/:id',
    access: 'chat',
    tag: 'sessions',
    summary: 'Ends a session: its running turn is stopped, and it can still be read.',
    answers: { 204: { description: 'Ended.' } },
    async handle(request) {
      const session = await sessionOf(request);
      await closeSession(request.gateway.engine, session.id);
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions/:id/stop',
    access: 'chat',
    tag: 'sessions',
    summary: 'Stops the running turn and drops what waits.',
    body: z.strictObject({}),
    answers: {
      200: {
        description: 'What there was to stop.',
        schema: z.object({ stopped: z.boolean(), dropped: z.number() }),
      },
    },
    async handle(request) {
      const session = await sessionOf(request);
      return { status: 200, json: await stop(request.gateway.engine, session.id) };
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/:id/events',
    access: 'chat',
    tag: 'sessions',
    summary:
      'What was said: a page, or with Accept: text/event-stream everything from a number on, as it comes.',
    query: z.strictObject({
      after: numbered.optional(),
      limit: z.coerce.number().int().min(1).max(5_000).default(1_000),
    }),
    answers: {
      200: {
        description: 'A page, or the stream.',
        schema: z.object({ events: z.array(eventView), last: z.number() }),
        type: 'text/event-stream',
      },
    },
    async handle(request) {
      const { gateway, query, incoming, principal } = request;
      const session = await sessionOf(request);
      const inspects = mayInspect(principal);
      if (incoming.headers.accept?.includes('text/event-stream')) {
        streamSession(request, session, resumedAt(incoming.headers['last-event-id']) ?? query.after ?? 0);
        return 'taken';
      }
      const events = await gateway.store.log.read(session.id, {
        after: query.after ?? 0,
        limit: query.limit,
      });
      return {
        status: 200,
        json: { events: events.map((event) => viewEvent(event, inspects)), last: session.lastEvent },
      };
    },
  }),
];

/** The session that a request names. Those of agents that a token is not for are not there for it. */
export async function sessionOf({
  params,
  gateway,
  principal,
}: Pick<RouteRequest, 'params' | 'gateway' | 'principal'>): Promise<Session> {
  const session = await gateway.store.sessions.get(params.id ?? '');
  if (session === undefined || !(await maySee(gateway.store, principal, session))) {
    throw new Problem('not-found', 'There is no such session.');
  }
  return session;
}

function checkAgent(gateway: RouteRequest['gateway'], principal: Principal, agent: string): void {
  if (gateway.agents.get(agent) === undefined || !mayUse(principal, agent)) {
    throw new Problem('invalid', `There is no agent "${agent}".`);
  }
}

/** The number of the last event that somebody has seen; NaN when it cannot be one of ours. */
function resumedAt(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : Number.NaN;
}
