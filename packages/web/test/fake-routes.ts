import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { MediaView, SessionView } from '@plugboard/client';
import { type OptionValue, withChosen } from '@plugboard/protocol';
import type { FakeAgents } from './fake-agent.ts';
import { addSession, changeSession, type FakeState } from './fake-state.ts';

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly bytes?: Buffer;
  readonly headers?: Record<string, string>;
}

interface Asked {
  readonly state: FakeState;
  readonly agents: FakeAgents;
  readonly url: URL;
  readonly id: string;
  readonly body: Record<string, unknown>;
  readonly raw: Buffer;
  readonly request: IncomingMessage;
}

const problem = (status: number, code: string, message: string): Answer => ({
  status,
  body: { error: { code, message, requestId: randomUUID() } },
});

/** The routes of the contract that the page uses. */
const ROUTES: Record<string, (asked: Asked) => Answer> = {
  'GET /api/me': ({ state }) => ({ status: 200, body: { name: 'you', scopes: state.scopes } }),
  'GET /api/agents': ({ state }) => ({ status: 200, body: { agents: state.agents } }),
  'GET /api/channels': ({ state }) => ({ status: 200, body: { channels: state.channels } }),
  'GET /api/people': ({ state }) => ({ status: 200, body: { people: state.people } }),
  'POST /api/people': ({ state, body }) => {
    const found = state.people.find(({ sender }) => sender === body.sender);
    if (found === undefined) return problem(404, 'not-found', 'Nobody who is waiting has this code.');
    const paired = { ...found, state: 'paired', pairedBy: 'browser' } as const;
    state.people = state.people.map((one) => (one === found ? paired : one));
    return { status: 200, body: paired };
  },
  'DELETE /api/people': ({ state, url }) => {
    state.people = state.people.filter(({ sender }) => sender !== url.searchParams.get('sender'));
    return { status: 204 };
  },
  'GET /api/deliveries': ({ state }) => ({ status: 200, body: { deliveries: state.deliveries, next: null } }),
  'POST /api/deliveries/:id/settle': ({ state, id }) => {
    const found = state.deliveries.find((one) => one.id === id);
    state.deliveries = state.deliveries.filter((one) => one !== found);
    return found === undefined ? problem(409, 'conflict', 'It was settled.') : { status: 200, body: found };
  },
  'POST /api/logout': ({ state }) => {
    state.cookies.clear();
    return { status: 204 };
  },
  'GET /api/sessions': ({ state, url }) => {
    const search = (url.searchParams.get('search') ?? '').toLowerCase();
    const all = [...state.sessions.values()]
      .filter(({ title }) => title.toLowerCase().includes(search))
      .filter(({ channel }) => (channel === 'api') === (url.searchParams.get('from') === 'programs'))
      .sort((a, b) => b.updatedAt - a.updatedAt);
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const next = from + 50 < all.length ? String(from + 50) : null;
    return { status: 200, body: { sessions: all.slice(from, from + 50), next } };
  },
  'POST /api/sessions': ({ state, body }) => {
    const place = String(body.place ?? randomUUID());
    const live = [...state.sessions.values()].find((session) => session.place === place && !session.closed);
    if (live !== undefined) return { status: 200, body: live };
    return { status: 201, body: addSession(state, { agent: String(body.agent ?? 'atlas'), place }) };
  },
  'GET /api/sessions/:id': (asked) => withSession(asked, (session) => ({ status: 200, body: session })),
  'GET /api/sessions/:id/options': (asked) =>
    withSession(asked, ({ id }) => ({
      status: 200,
      body: asked.state.offers.get(id) ?? { options: [], commands: [] },
    })),
  'PATCH /api/sessions/:id': (asked) =>
    withSession(asked, ({ id }) => {
      const { options: chosen = {}, ...fields } = asked.body as { options?: Record<string, OptionValue> };
      const offer = asked.state.offers.get(id) ?? { options: [], commands: [] };
      asked.state.offers.set(id, { ...offer, options: withChosen(offer.options, chosen) });
      return { status: 200, body: changeSession(asked.state, id, fields as Partial<SessionView>) };
    }),
  'DELETE /api/sessions/:id': (asked) =>
    withSession(asked, ({ id }) => {
      asked.agents.stop(id);
      changeSession(asked.state, id, { closed: true });
      return { status: 204 };
    }),
  'POST /api/sessions/:id/messages': (asked) => withSession(asked, (session) => takeMessage(asked, session)),
  'POST /api/sessions/:id/stop': (asked) =>
    withSession(asked, ({ id }) => ({ status: 200, body: asked.agents.stop(id) })),
  'GET /api/sessions/:id/events': (asked) =>
    withSession(asked, ({ id }) => {
      const after = Number(asked.url.searchParams.get('after') ?? 0);
      const limit = Number(asked.url.searchParams.get('limit') ?? 1000);
      const events = asked.state.events.get(id) ?? [];
      return { status: 200, body: { events: events.slice(after, after + limit), last: events.length } };
    }),
  'GET /api/sessions/:id/turns': ({ state, id }) => {
    const turns = [...state.turns.values()].filter(({ sessionId }) => sessionId === id).reverse();
    return { status: 200, body: { turns, next: null } };
  },
  'GET /api/turns/:id/record': ({ state, id }) => {
    const record = state.records.get(id);
    return record ? { status: 200, body: record } : problem(404, 'not-found', 'This turn was not recorded.');
  },
  'POST /api/turns/:id/replay': ({ state, id }) => {
    const events = state.records.get(id)?.events ?? [];
    const other = events.filter(({ event }) => event.type !== 'log');
    return { status: 200, body: { events: other, same: other.length === events.length } };
  },
  'POST /api/media': ({ state, url, raw, request }) => {
    const id = randomUUID();
    const type = request.headers['content-type'] ?? '';
    const kind = /^(image|audio|video)\//.exec(type)?.[1] ?? 'file';
    const name = url.searchParams.get('name') ?? '';
    const view = { id, name, type, kind, size: raw.length, url: `/api/media/${id}` } as MediaView;
    state.media.set(id, { view, bytes: raw });
    return { status: 201, body: view };
  },
  'GET /api/media/:id': ({ state, id }) => {
    const media = state.media.get(id);
    if (media === undefined) return problem(404, 'not-found', 'There is no such file.');
    const safe = /^(image\/(png|jpeg|gif|webp)|audio\/|video\/)/.test(media.view.type);
    const disposition: Record<string, string> = safe ? {} : { 'content-disposition': 'attachment' };
    return { status: 200, bytes: media.bytes, headers: { 'content-type': media.view.type, ...disposition } };
  },
};

export function answerTo(method: string, asked: Omit<Asked, 'id'>): Answer {
  const parts = asked.url.pathname.split('/');
  const named = parts.length > 3;
  const path = parts.map((part, index) => (index === 3 ? ':id' : part)).join('/');
  const handler = ROUTES[`${method} ${named ? path : asked.url.pathname}`];
  if (handler === undefined) return problem(404, 'not-found', 'There is no such route.');
  return handler({ ...asked, id: decodeURIComponent(parts[3] ?? '') });
}

function withSession({ state, id }: Asked, answer: (session: SessionView) => Answer): Answer {
  const session = state.sessions.get(id);
  return session === undefined ? problem(404, 'not-found', 'There is no such session.') : answer(session);
}

function takeMessage({ state, agents, body }: Asked, session: SessionView): Answer {
  const id = String(body.id ?? randomUUID());
  const text = String(body.text ?? '');
  const command = /^\/(stop|new|status|agent|help)\b/.exec(text)?.[1];
  if (command !== undefined) return takeCommand(state, session, command);
  if (state.heard.has(id)) {
    return {
      status: 202,
      body: { messageId: `own-${id}`, number: 1, duplicate: true, ahead: 0, steered: false, dropped: false },
    };
  }
  state.heard.add(id);
  const wanted = (body.attachments ?? []) as { media: string }[];
  const attachments = wanted.flatMap(({ media }) => state.media.get(media)?.view ?? []);
  const taken = agents.take(session.id, { id, text, attachments });
  return { status: 202, body: { messageId: `own-${id}`, duplicate: false, dropped: false, ...taken } };
}

function takeCommand(state: FakeState, session: SessionView, command: string): Answer {
  if (command === 'new') {
    const fresh = addSession(state, { agent: session.agent });
    return { status: 200, body: { command, reply: 'A new session has begun.', session: fresh } };
  }
  const reply =
    command === 'status' ? `${session.agent} is ${session.state}.` : `/${command} was understood.`;
  return { status: 200, body: { command, reply, session } };
}
