import { randomUUID } from 'node:crypto';
import type { Session } from '@plugboard/store';
import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/http/http.ts';
import type { Route } from '../../src/http/route.ts';
import { newSecret } from '../../src/http/secrets.ts';
import { shell } from '../harness.ts';
import { type Door, sharedDoor, startDoor, tokenId } from './door.ts';

const ROUTES = allRoutes({ version: '0' });

/** Who asks, in the order of the columns of `MATRIX`. */
const PRINCIPALS = {
  /** No token. */
  none: undefined,
  /** A token of which the gateway has never heard. */
  wrong: undefined,
  /** The token with which the conversation of `/v1` was held. */
  chat: ['chat'],
  /** Another token of the same scope. */
  chat2: ['chat'],
  ours: ['chat', 'inspect', 'agent:ours'],
  theirs: ['chat', 'inspect', 'agent:theirs'],
  inspect: ['inspect'],
  metrics: ['metrics'],
  admin: ['admin'],
  /** An operator for some agents. */
  'adm-ours': ['admin', 'agent:ours'],
  'adm-theirs': ['admin', 'agent:theirs'],
  /** The operator's own token, from this machine. */
  local: ['admin', 'local'],
  /** The operator's own token, through a proxy. */
  proxy: ['admin', 'local'],
} as const satisfies Record<string, readonly string[] | undefined>;

type Who = keyof typeof PRINCIPALS;
const EVERYBODY = Object.keys(PRINCIPALS) as readonly Who[];

/**
 * The status that each principal gets from each route, about a session of the agent `theirs`. 404 hides it; 409 and 400 are
 * answers of a handler that was reached, except where `POST /api/sessions` names an agent.
 */
const MATRIX = `
                                 none wrong chat chat2 ours theirs inspect metrics admin adm-ours adm-theirs local proxy
get /healthz                     200  200   200  200   200  200    200     200     200   200      200        200   200
get /readyz                      200  200   200  200   200  200    200     200     200   200      200        200   200
get /metrics                     401  401   403  403   403  403    403     200     200   200      200        200   403
post /api/backup                 401  401   403  403   403  403    403     403     409   403      403        409   403
get /api/agents                  401  401   200  200   200  200    403     403     200   200      200        200   403
get /api/feed                    401  401   200  200   200  200    403     403     200   200      200        200   403
post /api/sessions/:id/notices   401  401   403  403   403  403    403     403     409   404      409        409   403
post /api/login                  401  401   401  401   401  401    401     401     401   401      401        401   401
post /api/logout                 401  401   204  204   204  204    403     403     204   204      204        204   403
get /api/me                      401  401   200  200   200  200    403     403     200   200      200        200   403
post /api/login-codes            401  401   403  403   403  403    403     403     201   403      403        201   403
get /api/tokens                  401  401   403  403   403  403    403     403     200   403      403        200   403
post /api/tokens                 401  401   403  403   403  403    403     403     201   403      403        201   403
get /api/channels                401  401   403  403   403  403    403     403     200   200      200        200   403
post /api/channels/:channel/invitations  401  401   403  403   403  403    403     403     404   403      403        404   403
get /api/nodes                   401  401   403  403   403  403    403     403     200   403      403        200   403
post /api/nodes/:name/drain      401  401   403  403   403  403    403     403     409   403      403        409   403
get /api/people                  401  401   403  403   403  403    403     403     200   403      403        200   403
post /api/people                 401  401   403  403   403  403    403     403     404   403      403        404   403
delete /api/people               401  401   403  403   403  403    403     403     404   403      403        404   403
get /hooks/:channel              404  404   404  404   404  404    404     404     404   404      404        404   404
post /hooks/:channel             404  404   404  404   404  404    404     404     404   404      404        404   404
delete /api/tokens/:id           401  401   403  403   403  403    403     403     404   403      403        404   403
get /api/sessions                401  401   200  200   200  200    403     403     200   200      200        200   403
post /api/sessions               401  401   201  201   400  201    403     403     201   400      201        201   403
get /api/sessions/:id            401  401   200  200   404  200    403     403     200   404      200        200   403
patch /api/sessions/:id          401  401   200  200   404  200    403     403     200   404      200        200   403
get /api/sessions/:id/options    401  401   200  200   404  200    403     403     200   404      200        200   403
delete /api/sessions/:id         401  401   204  204   404  204    403     403     204   404      204        204   403
post /api/sessions/:id/stop      401  401   200  200   404  200    403     403     200   404      200        200   403
get /api/sessions/:id/events     401  401   200  200   404  200    403     403     200   404      200        200   403
post /api/sessions/:id/messages  401  401   202  202   404  202    403     403     202   404      202        202   403
get /api/sessions/:id/turns      401  401   200  200   404  200    403     403     200   404      200        200   403
get /api/turns/:id               401  401   200  200   404  200    403     403     200   404      200        200   403
post /api/turns/:id/cancel       401  401   200  200   404  200    403     403     200   404      200        200   403
post /api/turns/:id/steer        401  401   409  409   404  409    403     403     409   404      409        409   403
get /api/turns/:id/record        401  401   403  403   404  200    200     403     200   404      200        200   403
post /api/turns/:id/replay       401  401   403  403   404  200    200     403     200   404      200        200   403
get /api/asks                    401  401   200  200   200  200    403     403     200   200      200        200   403
get /api/asks/:id                401  401   200  200   404  200    403     403     200   404      200        200   403
post /api/asks/:id               401  401   409  409   404  409    403     403     409   404      409        409   403
post /api/media                  401  401   201  201   404  201    403     403     201   404      201        201   403
get /api/media/:id               401  401   200  200   404  200    403     403     200   404      200        200   403
get /api/deliveries              401  401   403  403   403  403    403     403     200   200      200        200   403
get /api/deliveries/:id          401  401   403  403   403  403    403     403     200   404      200        200   403
post /api/deliveries/:id/settle  401  401   403  403   403  403    403     403     409   404      409        409   403
get /v1/models                   401  401   200  200   200  200    403     403     200   200      200        200   403
get /v1/models/:id               401  401   200  200   404  200    403     403     200   404      200        200   403
post /v1/chat/completions        401  401   200  200   404  200    403     403     200   404      200        200   403
post /v1/responses               401  401   200  200   404  200    403     403     200   404      200        200   403
get /v1/responses/:id            401  401   200  404   404  404    403     403     404   404      404        404   403
get /openapi.json                200  200   200  200   200  200    200     200     200   200      200        200   200
get /docs                        200  200   200  200   200  200    200     200     200   200      200        200   200
get /docs.js                     200  200   200  200   200  200    200     200     200   200      200        200   200
get /docs.css                    200  200   200  200   200  200    200     200     200   200      200        200   200
`;

const [HEADER = '', ...ROWS] = MATRIX.trimEnd().split('\n').slice(1);
const EXPECTED = new Map(
  ROWS.map((row) => {
    const [method, path, ...statuses] = row.split(/ +/);
    return [`${method} ${path}`, statuses.join(' ')];
  }),
);

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Bodies that would do something, if they were let in. */
const BODIES: Readonly<Record<string, unknown>> = {
  'post /api/sessions/:id/messages': { text: 'hello' },
  'post /api/sessions/:id/notices': { text: 'hello' },
  'post /api/turns/:id/steer': { text: 'hello' },
  'post /api/deliveries/:id/settle': { as: 'drop' },
  'patch /api/sessions/:id': { title: 'mine now' },
  'post /api/login': { code: 'wrong' },
  // A name that no earlier call has taken.
  get 'post /api/tokens'() {
    return { name: newSecret(), scopes: ['admin'] };
  },
  'post /api/people': { code: 'AAAA-BBBB' },
  'post /api/backup': { file: '/nowhere/at/all' },
  'post /api/sessions': { agent: 'theirs' },
  'post /api/asks/:id': { text: 'the answer' },
  'post /v1/chat/completions': { model: 'theirs', messages: [{ role: 'user', content: 'hi' }] },
  'post /v1/responses': { model: 'theirs', input: 'hi' },
};

interface Ids {
  readonly session: string;
  readonly turn: string;
  readonly media: string;
  readonly ask: string;
  readonly delivery: string;
}

/** Where the resource is that a route is about. */
function pathOf({ method, path }: Route, ids: Ids): string {
  if (method === 'delete' && path === '/api/people') return '/api/people?channel=chat&sender=7';
  if (path === '/api/media') return `/api/media?session=${ids.session}`;
  const [, kind = ''] = /^\/\w+\/(\w+)\/:id/.exec(path) ?? [];
  const found: Readonly<Record<string, string>> = {
    sessions: ids.session,
    turns: ids.turn,
    media: ids.media,
    asks: ids.ask,
    deliveries: ids.delivery,
    models: 'theirs',
    responses: `resp_${ids.turn}`,
    tokens: 'no-such-token',
  };
  return path.replace(':id', found[kind] ?? 'unknown');
}

async function ask(door: Door, route: Route, ids: Ids, headers: Record<string, string>): Promise<number> {
  const abort = new AbortController();
  const body = BODIES[nameOf(route)] ?? (route.method === 'post' ? {} : undefined);
  const response = await fetch(`${door.door.url}${pathOf(route, ids)}`, {
    method: route.method.toUpperCase(),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: abort.signal,
  });
  abort.abort();
  return response.status;
}

/** A session of the agent `theirs` with everything that it can have, begun through `/v1` by the token `owner`. */
async function theirThings(door: Door, owner = 'somebody'): Promise<Ids> {
  const place = `${owner}/theirs/session/${randomUUID()}`;
  const { id: session } = await door.store.sessions.open({ channel: 'api', place, agent: 'theirs' });
  const bytes = (async function* () {
    yield Buffer.from('private');
  })();
  const { id: media } = await door.gateway.media.add(session, { name: 'a.txt', bytes });
  // Another gateway runs the turn, so that messages wait and no process is started.
  const claim = await door.store.turns.claimOwn(session, { node: 'elsewhere', leaseMs: 60_000 });
  if (claim === undefined) throw new Error('The session has a turn already.');
  const ask = `question-${session}`;
  const question = { kind: 'text', title: 'Their secret?', options: [] } as const;
  await door.store.turns.record(claim, { events: [{ type: 'ask', id: ask, question }] });
  const { recordings } = door.gateway;
  const agent = { dialect: 'agentproc', name: 'theirs', recorder: recordings.recorder() } as const;
  recordings.begin({ id: claim.turn.id, inputId: undefined }, agent);
  const body = { kind: 'notice', text: 'x', media: [] };
  const sending = { channel: 'gone', place, body, expiresInMs: 60_000 };
  const { id: delivery } = await door.store.outbox.add(session, sending);
  return { session, turn: claim.turn.id, media, ask, delivery };
}

describe('the access matrix', () => {
  let minutes = 0;
  const shared = sharedDoor(
    { agents: (at) => [shell('ours', 'echo ours', at), shell('theirs', 'echo theirs', at)] },
    // Each look at the clock is a minute later, so that wrong tokens are never slowed down.
    {
      now() {
        minutes += 1;
        return minutes * 60_000;
      },
    },
  );

  async function headersOf(door: Door, who: Who): Promise<Record<string, string>> {
    const scopes = PRINCIPALS[who];
    if (who === 'none') return {};
    if (scopes === undefined) return { authorization: 'Bearer pb_wrong' };
    const authorization = `Bearer ${await tokenOf(door, who)}`;
    return who === 'proxy' ? { authorization, 'x-forwarded-for': '192.0.2.7' } : { authorization };
  }

  const tokens = new Map<Who, Promise<string>>();
  function tokenOf(door: Door, who: Who): Promise<string> {
    const token = tokens.get(who) ?? door.tokenWith(PRINCIPALS[who] ?? []);
    tokens.set(who, token);
    return token;
  }

  it('has a row for every route', () => {
    expect(HEADER.split(/ +/)).toEqual(['', ...EVERYBODY]);
    expect([...EXPECTED.keys()].sort()).toEqual(ROUTES.map(nameOf).sort());
  });

  it.each(ROUTES.map((route) => [nameOf(route), route] as const))('%s', async (name, route) => {
    const door = shared();
    const row: string[] = [];
    for (const who of EVERYBODY) {
      const ids = await theirThings(door, tokenId(await tokenOf(door, 'chat')));
      row.push(String(await ask(door, route, ids, await headersOf(door, who))));
    }
    expect({ [name]: row.join(' ') }).toEqual({ [name]: EXPECTED.get(name) });
  });
});

describe('a private route', () => {
  const shared = sharedDoor({
    agents: (at) => [shell('ours', 'echo ours', at), shell('theirs', 'echo theirs', at)],
  });

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

  it('begins a session with an agent of its own where the default agent is not there for it', async () => {
    const door = await startDoor({
      agents: (at) => [shell('theirs', 'echo theirs', at), shell('ours', 'echo ours', at)],
    });
    const begin = async (scope: string): Promise<Response> => {
      const authorization = `Bearer ${await door.tokenWith(['chat', scope])}`;
      return door.call('POST', '/api/sessions', {}, { authorization });
    };
    const answer = await begin('agent:ours');
    expect(await answer.json()).toMatchObject({ agent: 'ours' });
    const refused = await begin('agent:gone');
    expect(refused.status).toBe(400);
    expect(await refused.text()).not.toMatch(/theirs|ours/);
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
    const inspector = `Bearer ${await door.tokenWith(['inspect', 'agent:ours'])}`;
    for (const turn of turns) {
      const path = `/api/turns/${turn.id}/record`;
      expect((await door.call('GET', path, undefined, { authorization: inspector })).status).toBe(404);
    }
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

  it('does not hold a conversation of /v1 in a session in which another agent has had a turn', async () => {
    const door = shared();
    const token = await door.tokenWith(['chat', 'agent:ours']);
    const authorization = `Bearer ${token}`;
    const say = (headers: Record<string, string>) => {
      const body = { model: 'ours', messages: [{ role: 'user', content: 'hi' }] };
      return door.call('POST', '/v1/chat/completions', body, { authorization, ...headers });
    };
    expect((await say({ 'x-plugboard-session': 'x' })).status).toBe(200);
    const place = `${tokenId(token)}/ours/session/x`;
    const { id } = await door.store.sessions.open({ channel: 'api', place, agent: 'ours' });
    expect((await door.call('PATCH', `/api/sessions/${id}`, { agent: 'theirs' })).status).toBe(200);
    await door.call('POST', `/api/sessions/${id}/messages`, { text: 'a secret' });
    await expect.poll(async () => (await door.store.turns.list(id, { limit: 1 }))[0]?.agent).toBe('theirs');
    await door.idle((await door.store.sessions.get(id)) as Session);
    expect((await door.call('PATCH', `/api/sessions/${id}`, { agent: 'ours' })).status).toBe(200);
    const refused = await say({ 'x-plugboard-session': 'x' });
    expect(refused.status).toBe(409);
    expect(await refused.text()).not.toContain('theirs');
    expect((await say({ 'x-plugboard-session': 'y' })).status).toBe(200);
  });

  it('reads no names of other agents in the metrics', async () => {
    const door = shared();
    const metrics = async (scopes: readonly string[]): Promise<string> => {
      const authorization = `Bearer ${await door.tokenWith(scopes)}`;
      return (await door.call('GET', '/metrics', undefined, { authorization })).text();
    };
    expect(await metrics(['metrics'])).toMatch(/agent="ours".*\n.*agent="theirs"/);
    const limited = await metrics(['metrics', 'agent:ours']);
    expect(limited).toContain('plugboard_turns_running{agent="ours"}');
    expect(limited).not.toContain('theirs');
  });

  it('cannot give itself the other agents, by a token, a login code or a copy of the store', async () => {
    const door = shared();
    const authorization = `Bearer ${await door.tokenWith(['admin', 'agent:ours'])}`;
    for (const [path, body] of [
      ['/api/tokens', { name: 'more', scopes: ['chat'] }],
      ['/api/login-codes', {}],
      ['/api/backup', { file: '/nowhere/at/all' }],
    ] as const) {
      const answer = await door.call('POST', path, body, { authorization });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.text()).toContain('This token is limited to some agents');
    }
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
