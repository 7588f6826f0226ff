import { randomUUID } from 'node:crypto';
import { optionProblem, withChosen } from '@plugboard/protocol';
import type { OpenedSession, Session, Sessions } from '@plugboard/store';
import { z } from 'zod';
import type { Gateway } from '../../gateway.ts';
import { appoint, closeSession, stop } from '../../sessions/control.ts';
import type { Principal } from '../auth.ts';
import { mayInspect, mayUseAgent } from '../authorize.ts';
import { chosenName } from '../chosen-name.ts';
import { disconnectionOf } from '../disconnection.ts';
import { inBody, inPath } from '../lookup.ts';
import { Problem } from '../problem.ts';
import { getResource, maySeeSession } from '../resources.ts';
import { type Route, type RouteRequest, route } from '../route.ts';
import { listSessions } from '../session-list.ts';
import { streamSession } from '../session-stream.ts';
import { eventView, optionsView, sessionView } from '../shapes.ts';
import { viewEvent, viewSession } from '../views.ts';

const name = z.string().min(1).max(64);
const numbered = z.coerce.number().int().min(0);

const newSession = z.strictObject({
  agent: name.optional(),
  channel: z.enum(['web', 'cli', 'api']).default('web'),
  place: chosenName.optional().describe('Names the place; the same one again gives the same session.'),
  begin: z.boolean().default(true).describe('With false, a place without a live session is answered 404.'),
});

export const sessionRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/sessions',
    resource: 'session',
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
    async handle(request) {
      const { query, gateway, principal, outgoing, services } = request;
      const { search = '', limit, cursor, from } = query;
      const listing = {
        limit,
        ...(cursor === undefined ? {} : { cursor }),
        ...(from === undefined ? {} : { from }),
      };
      const searching = { ...listing, search, signal: disconnectionOf(outgoing) };
      const { sessions, next } = await (search.trim() === ''
        ? listSessions(request, listing)
        : services.searches.run(principal.id, () => listSessions(request, searching)));
      return { status: 200, json: { sessions: sessions.map((one) => viewSession(gateway, one)), next } };
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions',
    resource: 'session',
    mentions: [inBody('agent', 'agent')],
    tag: 'sessions',
    summary: 'Begins a session, or finds the live one of a place.',
    body: newSession,
    answers: {
      201: { description: 'A new session.', schema: sessionView },
      200: { description: 'The live session of the place.', schema: sessionView },
    },
    async handle(request) {
      const { body, gateway, principal } = request;
      const agent = body.agent ?? defaultAgentFor(gateway, principal);
      const place = body.place ?? randomUUID();
      const { begun, ...session } = await openPlace(
        gateway,
        { channel: body.channel, place, agent },
        body.begin,
      );
      if (!(await maySeeSession(request, session))) throw new Problem('conflict', 'This place is taken.');
      gateway.feed.changed(session.id);
      return { status: begun ? 201 : 200, json: viewSession(gateway, session) };
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/:id',
    resource: inPath('session'),
    tag: 'sessions',
    summary: 'Tells of one session.',
    answers: { 200: { description: 'The session.', schema: sessionView } },
    handle: ({ gateway, found }) => ({ status: 200, json: viewSession(gateway, found) }),
  }),
  route({
    method: 'patch',
    path: '/api/sessions/:id',
    resource: inPath('session'),
    mentions: [inBody('agent', 'agent')],
    tag: 'sessions',
    summary:
      'Renames a session, lets another agent answer, or chooses options of the agent from the next message on.',
    body: z.strictObject({
      title: z.string().max(200).optional(),
      agent: name.optional(),
      options: z
        .record(z.string().max(200), z.union([z.string().max(1_000), z.boolean()]))
        .optional()
        .describe('Values by the id of the option.'),
    }),
    answers: { 200: { description: 'The session.', schema: sessionView } },
    async handle(request) {
      const { gateway, body, found: session } = request;
      if (body.title !== undefined) await gateway.store.sessions.rename(session.id, body.title);
      if (body.agent !== undefined) await appoint(gateway.engine, session.id, body.agent);
      if (body.options !== undefined) await chooseOptions(gateway, session, body.options);
      gateway.feed.changed(session.id);
      return { status: 200, json: viewSession(gateway, await getResource(request, 'session', session.id)) };
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/:id/options',
    resource: inPath('session'),
    tag: 'sessions',
    summary: 'What the agent of a session offers: options with their values, and commands.',
    answers: { 200: { description: 'Both lists are empty until the agent has said.', schema: optionsView } },
    async handle({ gateway, found }) {
      const { options, commands } = await gateway.store.sessions.offered(found.id);
      return { status: 200, json: { options: withChosen(options, found.chosen), commands } };
    },
  }),
  route({
    method: 'delete',
    path: '/api/sessions/:id',
    resource: inPath('session'),
    tag: 'sessions',
    summary: 'Ends a session: its running turn is stopped, and it can still be read.',
    answers: { 204: { description: 'Ended.' } },
    async handle({ gateway, found }) {
      await closeSession(gateway.engine, found.id);
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions/:id/stop',
    resource: inPath('session'),
    tag: 'sessions',
    summary: 'Stops the running turn and drops what waits.',
    body: z.strictObject({}),
    answers: {
      200: {
        description: 'What there was to stop.',
        schema: z.object({ stopped: z.boolean(), dropped: z.number() }),
      },
    },
    handle: async ({ gateway, found }) => ({ status: 200, json: await stop(gateway.engine, found.id) }),
  }),
  route({
    method: 'get',
    path: '/api/sessions/:id/events',
    resource: inPath('session'),
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
      const { gateway, query, incoming, principal, found: session } = request;
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

async function chooseOptions(
  { store }: RouteRequest['gateway'],
  { id }: Pick<Session, 'id'>,
  values: Session['chosen'],
): Promise<void> {
  const { options } = await store.sessions.offered(id);
  for (const [option, value] of Object.entries(values)) {
    const problem = optionProblem(options, option, value);
    if (problem !== undefined) throw new Problem('invalid', problem);
  }
  await store.sessions.chooseOptions(id, values);
}

/** The default agent, or the first agent that the token may use: an error that names another agent would reveal it. */
function defaultAgentFor({ agents }: RouteRequest['gateway'], principal: Principal): string {
  if (mayUseAgent(principal, agents.defaultName)) return agents.defaultName;
  const first = agents.names.find((name) => mayUseAgent(principal, name));
  if (first === undefined) throw new Problem('invalid', 'There is no agent for this token.');
  return first;
}

/** Parses `Last-Event-ID`; NaN when it is not an event number. */
function resumedAt(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : Number.NaN;
}

/** Opens the live session of a place. Without one, begins a session unless `begin` is false. */
async function openPlace(
  { store }: Gateway,
  where: Parameters<Sessions['open']>[0],
  begin: boolean,
): Promise<OpenedSession> {
  if (begin) return store.sessions.open(where);
  const session = await store.sessions.find(where);
  if (session === undefined) throw new Problem('not-found', 'There is no session in this place.');
  return { ...session, begun: false };
}
