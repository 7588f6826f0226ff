import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/http/http.ts';
import type { Route } from '../../src/http/route.ts';
import { shell } from '../harness.ts';
import { type Door, sharedDoor } from './door.ts';

const SCOPES = ['chat', 'inspect', 'admin', 'metrics'] as const;
const ROUTES = allRoutes({ version: '0' });

/** Who may ask what. A route that is not here is one that nobody has thought about. */
const TABLE: Readonly<Record<string, string>> = {
  'get /healthz': 'public',
  'get /readyz': 'public',
  'get /metrics': 'metrics',
  'post /api/backup': 'admin',
  'get /api/agents': 'chat',
  'get /api/feed': 'chat',
  'post /api/sessions/:id/notices': 'admin',
  'post /api/login': 'public',
  'post /api/logout': 'chat',
  'get /api/me': 'chat',
  'post /api/login-codes': 'admin',
  'get /api/tokens': 'admin',
  'post /api/tokens': 'admin',
  'delete /api/tokens/:id': 'admin',
  'get /api/sessions': 'chat',
  'post /api/sessions': 'chat',
  'get /api/sessions/:id': 'chat',
  'patch /api/sessions/:id': 'chat',
  'delete /api/sessions/:id': 'chat',
  'post /api/sessions/:id/messages': 'chat',
  'post /api/sessions/:id/stop': 'chat',
  'get /api/sessions/:id/events': 'chat',
  'get /api/sessions/:id/turns': 'chat',
  'get /api/turns/:id': 'chat',
  'post /api/turns/:id/cancel': 'chat',
  'post /api/turns/:id/steer': 'chat',
  'get /api/turns/:id/record': 'inspect',
  'post /api/turns/:id/replay': 'inspect',
  'post /api/media': 'chat',
  'get /api/media/:id': 'chat',
  'get /api/deliveries': 'admin',
  'get /api/deliveries/:id': 'admin',
  'post /api/deliveries/:id/settle': 'admin',
  'get /v1/models': 'chat',
  'get /v1/models/:id': 'chat',
  'post /v1/chat/completions': 'chat',
  'post /v1/responses': 'chat',
  'get /v1/responses/:id': 'chat',
  'get /openapi.json': 'public',
  'get /docs': 'public',
  'get /docs.js': 'public',
  'get /docs.css': 'public',
};

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const PRIVATE = ROUTES.filter(({ access }) => access !== 'public');

/** Bodies that would do something, if they were let in. */
const BODIES: Readonly<Record<string, (ids: Ids) => unknown>> = {
  'post /api/sessions/:id/messages': () => ({ text: 'hello' }),
  'post /api/sessions/:id/notices': () => ({ text: 'hello' }),
  'post /api/turns/:id/steer': () => ({ text: 'hello' }),
  'post /api/deliveries/:id/settle': () => ({ as: 'drop' }),
  'patch /api/sessions/:id': () => ({ title: 'mine now' }),
  'post /api/tokens': () => ({ name: 'mine', scopes: ['admin'] }),
  'post /api/backup': () => ({ file: '/nowhere/at/all' }),
  'post /api/sessions': () => ({ agent: 'theirs' }),
  'post /v1/chat/completions': () => ({ model: 'theirs', messages: [{ role: 'user', content: 'hi' }] }),
  'post /v1/responses': () => ({ model: 'theirs', input: 'hi' }),
};

interface Ids {
  readonly session: string;
  readonly turn: string;
  readonly media: string;
}

function pathOf({ path }: Route, ids: Ids): string {
  const id = path.startsWith('/api/turns')
    ? ids.turn
    : path.startsWith('/api/media')
      ? ids.media
      : ids.session;
  const filled = path.replace(':id', path.startsWith('/v1/models') ? 'theirs' : id);
  return path === '/api/media' ? `${filled}?session=${ids.session}` : filled;
}

async function ask(door: Door, route: Route, ids: Ids, headers: Record<string, string>): Promise<number> {
  const abort = new AbortController();
  const body = BODIES[nameOf(route)]?.(ids) ?? (route.method === 'post' ? {} : undefined);
  const response = await fetch(`${door.door.url}${pathOf(route, ids)}`, {
    method: route.method.toUpperCase(),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: abort.signal,
  });
  abort.abort();
  return response.status;
}

/** A session of the agent `theirs` with everything that it can have. */
async function theirThings(door: Door): Promise<Ids> {
  const session = await door.store.sessions.open({ channel: 'web', place: 'theirs', agent: 'theirs' });
  const bytes = (async function* () {
    yield Buffer.from('private');
  })();
  const media = await door.gateway.media.add(session.id, { name: 'a.txt', bytes });
  const [known] = await door.store.turns.list(session.id, { limit: 1 });
  if (known !== undefined) return { session: session.id, turn: known.id, media: media.id };
  const claim = await door.store.turns.claimUnasked(session.id, { node: 'elsewhere', leaseMs: 60_000 });
  return { session: session.id, turn: claim?.turn.id ?? '', media: media.id };
}

describe('every route', () => {
  it('stands in the table of who may ask it', () => {
    expect(Object.fromEntries(ROUTES.map((route) => [nameOf(route), route.access]))).toEqual(TABLE);
  });
});

describe('a private route', () => {
  const shared = sharedDoor({
    agents: (at) => [shell('ours', 'echo ours', at), shell('theirs', 'echo theirs', at)],
  });

  it.each(PRIVATE.map((route) => [nameOf(route), route] as const))(
    '%s asks who it is',
    async (_name, route) => {
      const door = shared();
      const ids = await theirThings(door);
      expect(await ask(door, route, ids, {})).toBe(401);
      expect(await ask(door, route, ids, { authorization: 'Bearer pb_wrong' })).toBeOneOf([401, 429]);
      expect(await ask(door, route, ids, { authorization: `Basic ${door.token}` })).toBe(401);
    },
  );

  it.each(PRIVATE.map((route) => [nameOf(route), route] as const))(
    '%s asks for its scope',
    async (_name, route) => {
      const door = shared();
      const ids = await theirThings(door);
      const others = SCOPES.filter((scope) => scope !== route.access && scope !== 'admin');
      const token = await door.tokenWith([...others, 'agent:ours', 'agent:theirs']);
      expect(await ask(door, route, ids, { authorization: `Bearer ${token}` })).toBe(403);
    },
  );

  /** Those that tell of no agent in particular answer a token for another agent too, and tell it nothing. */
  const GENERAL = [
    'get /api/me',
    'get /api/agents',
    'get /api/sessions',
    'get /api/feed',
    'get /v1/models',
    'post /api/logout',
  ];
  const particular = PRIVATE.filter(
    (route) => ['chat', 'inspect'].includes(route.access) && !GENERAL.includes(nameOf(route)),
  );

  it.each(particular.map((route) => [nameOf(route), route] as const))(
    '%s knows nothing of an agent that the token is not for',
    async (name, route) => {
      const door = shared();
      const ids = await theirThings(door);
      const token = await door.tokenWith(['chat', 'inspect', 'agent:ours']);
      expect(await ask(door, route, ids, { authorization: `Bearer ${token}` })).toBe(
        name === 'post /api/sessions' ? 400 : 404,
      );
      expect(await door.store.sessions.get(ids.session)).toMatchObject({
        agent: 'theirs',
        title: '',
        closed: false,
        waiting: 0,
      });
    },
  );

  it('does not take a token in the address, nor write it anywhere', async () => {
    const door = shared();
    for (const path of ['/v1/models', '/metrics', '/api/me', '/api/feed']) {
      for (const name of ['token', 'access_token', 'key', 'api_key']) {
        const answer = await fetch(`${door.door.url}${path}?${name}=${door.token}`);
        expect([path, answer.status]).toEqual([path, 401]);
        expect(await answer.text()).not.toContain(door.token);
      }
    }
  });
});

describe('a token for some agents', () => {
  const shared = sharedDoor({
    agents: (at) => [shell('ours', 'echo ours', at), shell('theirs', 'echo theirs', at)],
  });

  async function limited() {
    const door = shared();
    const authorization = `Bearer ${await door.tokenWith(['chat', 'inspect', 'agent:ours'])}`;
    return {
      door,
      call: (method: string, path: string, body?: unknown) =>
        door.call(method, path, body, { authorization }),
    };
  }

  it('lists its own agents, models and sessions alone, on full pages', async () => {
    const { door, call } = await limited();
    for (let count = 0; count < 6; count++) {
      await door.store.sessions.open({ channel: 'web', place: `o${count}`, agent: 'ours' });
      await door.store.sessions.open({ channel: 'web', place: `t${count}`, agent: 'theirs' });
    }
    expect(await (await call('GET', '/api/agents')).json()).toMatchObject({ agents: [{ name: 'ours' }] });
    expect(await (await call('GET', '/v1/models')).json()).toMatchObject({ data: [{ id: 'ours' }] });
    const places: string[] = [];
    for (let cursor = ''; ; ) {
      const page = (await (await call('GET', `/api/sessions?limit=2${cursor}`)).json()) as {
        sessions: { place: string; agent: string; id: string }[];
        next: string | null;
      };
      places.push(...page.sessions.map(({ place }) => place));
      expect(page.sessions.every(({ agent }) => agent === 'ours')).toBe(true);
      if (page.next === null) break;
      expect(page.next.endsWith(page.sessions.at(-1)?.id ?? '?')).toBe(true);
      cursor = `&cursor=${page.next}`;
    }
    expect(places.sort()).toEqual(['o0', 'o1', 'o2', 'o3', 'o4', 'o5']);
  });

  it('lists the sessions of people, of programs, or both', async () => {
    const { door, call } = await limited();
    const begin = (channel: string) =>
      door.store.sessions.open({ channel, place: `from ${channel}`, agent: 'ours' });
    await Promise.all(['web', 'api', 'mail'].map(begin));
    const places = async (query: string): Promise<string[]> => {
      const { sessions } = (await (await call('GET', `/api/sessions?limit=200${query}`)).json()) as {
        sessions: { place: string }[];
      };
      return sessions.map(({ place }) => place).filter((place) => place.startsWith('from '));
    };
    expect((await places('&from=people')).sort()).toEqual(['from mail', 'from web']);
    expect(await places('&from=programs')).toEqual(['from api']);
    expect(await places('')).toHaveLength(3);
    expect((await call('GET', '/api/sessions?from=nobody')).status).toBe(400);
  });

  it('does not get the session of a place that another agent has', async () => {
    const { door, call } = await limited();
    await door.store.sessions.open({ channel: 'web', place: 'shared', agent: 'theirs' });
    const answer = await call('POST', '/api/sessions', { place: 'shared', agent: 'ours' });
    expect(answer.status).toBe(409);
    expect(await answer.text()).not.toContain('theirs');
  });

  it('does not get a session in which another agent has ever answered, nor anything of it', async () => {
    const { door, call } = await limited();
    const place = { channel: 'web', place: 'handed-over', agent: 'theirs' };
    const { id } = await door.store.sessions.open(place);
    await door.call('POST', `/api/sessions/${id}/messages`, { text: 'the xylophone is private' });
    await expect.poll(async () => (await door.store.turns.list(id, { limit: 1 }))[0]?.state).toBe('success');
    const bytes = (async function* () {
      yield Buffer.from('private');
    })();
    const media = await door.gateway.media.add(id, { name: 'a.txt', bytes });
    expect((await door.call('PATCH', `/api/sessions/${id}`, { agent: 'ours' })).status).toBe(200);
    await door.call('POST', `/api/sessions/${id}/messages`, { text: 'go on' });
    await expect.poll(async () => (await door.store.turns.list(id, { limit: 1 }))[0]?.agent).toBe('ours');
    const turns = await door.store.turns.list(id, { limit: 2 });
    const paths = [
      `/api/sessions/${id}`,
      `/api/sessions/${id}/events`,
      `/api/sessions/${id}/turns`,
      `/api/media/${media.id}`,
      ...turns.flatMap((turn) => [`/api/turns/${turn.id}`, `/api/turns/${turn.id}/record`]),
    ];
    for (const path of paths) expect([path, (await call('GET', path)).status]).toEqual([path, 404]);
    for (const query of ['?search=xylophone', '?limit=200']) {
      expect(await (await call('GET', `/api/sessions${query}`)).text()).not.toContain(id);
    }
    expect((await call('POST', '/api/sessions', { place: place.place, agent: 'ours' })).status).toBe(409);
    const both = `Bearer ${await door.tokenWith(['chat', 'agent:ours', 'agent:theirs'])}`;
    const seen = await door.call('GET', `/api/sessions/${id}`, undefined, { authorization: both });
    expect(seen.status).toBe(200);
  });

  it('cannot call another agent, by a command or otherwise, nor learn its name', async () => {
    const { door, call } = await limited();
    const session = await door.store.sessions.open({ channel: 'web', place: 'mine', agent: 'ours' });
    for (const text of ['/agent theirs', ' /agent theirs', '/agent', '/agent their']) {
      const answer = (await (
        await call('POST', `/api/sessions/${session.id}/messages`, { text })
      ).json()) as { reply: string };
      expect(answer.reply.replace(/^There is no agent ".*?"\./, '')).not.toContain('theirs');
    }
    expect((await call('PATCH', `/api/sessions/${session.id}`, { agent: 'theirs' })).status).toBe(400);
    expect((await door.store.sessions.get(session.id))?.agent).toBe('ours');
  });

  it('cannot take a file of another session along', async () => {
    const { door, call } = await limited();
    const { media } = await theirThings(door);
    const session = await door.store.sessions.open({ channel: 'web', place: 'files', agent: 'ours' });
    const answer = await call('POST', `/api/sessions/${session.id}/messages`, {
      text: 'hi',
      attachments: [{ media }],
    });
    expect(answer.status).toBe(400);
  });
});
