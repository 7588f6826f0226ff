import { describe, expect, it } from 'vitest';
import { createGuessLimit } from '../../src/http/guess-limit.ts';
import { createLoginCodes } from '../../src/http/login-codes.ts';
import { createRateLimit } from '../../src/http/rate-limit.ts';
import { hashOf, newSecret } from '../../src/http/secrets.ts';
import { createTokenWatch } from '../../src/http/token-watch.ts';
import { shell } from '../harness.ts';
import { type Door, startDoor, tokenId } from './door.ts';
import { readStream } from './stream-client.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const me = async (door: Door, headers: Record<string, string>) =>
  (await fetch(`${door.door.url}/api/me`, { headers })).status;

/** A clock that only moves when it is told to. */
function stoppedClock() {
  const clock = { time: 1_000_000_000_000, now: () => clock.time };
  return clock;
}

describe('a token', () => {
  it('has 256 bits, and only its hash is kept', async () => {
    const secret = newSecret();
    expect(Buffer.from(secret.slice(3), 'base64url')).toHaveLength(32);
    expect(hashOf(secret)).toMatch(/^[0-9a-f]{64}$/);
    const door = await startDoor();
    const made = await door.call('POST', '/api/tokens', { name: 'ci', scopes: ['chat'] });
    const { secret: shown } = (await made.json()) as { secret: string };
    const list = await (await door.call('GET', '/api/tokens')).text();
    expect(list).toContain('"ci"');
    expect(list).not.toContain(shown);
    expect(list).not.toContain(hashOf(shown));
  });

  it('has a name of its own: a second one is refused with a sentence, also at once', async () => {
    const door = await startDoor();
    const make = () => door.call('POST', '/api/tokens', { name: 'ci', scopes: ['chat'] });
    const answers = await Promise.all([make(), make(), make()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(await refused?.json()).toMatchObject({
      error: { message: expect.stringMatching(/^There is a token "ci" already\. Choose another name/) },
    });
    const made = (await answers.find(({ status }) => status === 201)?.json()) as { token: { id: string } };
    await door.call('DELETE', `/api/tokens/${made.token.id}`);
    expect((await make()).status).toBe(201);
  });

  it('says when it was last used', async () => {
    const door = await startDoor();
    const token = await door.tokenWith(['chat']);
    expect(await me(door, bearer(token))).toBe(200);
    const { tokens } = (await (await door.call('GET', '/api/tokens')).json()) as {
      tokens: { id: string; lastUsedAt: number | null }[];
    };
    expect(tokens.find(({ id }) => id === tokenId(token))?.lastUsedAt).toBeGreaterThan(0);
  });

  it.each([[[]], [['root']], [['agent:']], [['agent:../x']], [['agent:*']], [['chat', 'admin ']]])(
    'cannot be made with the scopes %j',
    async (scopes) => {
      const door = await startDoor();
      expect((await door.call('POST', '/api/tokens', { name: 'x', scopes })).status).toBe(400);
    },
  );

  it('is worth nothing as soon as it was revoked', async () => {
    const clock = stoppedClock();
    const door = await startDoor({}, { now: clock.now });
    const token = await door.tokenWith(['chat']);
    expect(await me(door, bearer(token))).toBe(200);
    expect((await door.call('DELETE', `/api/tokens/${tokenId(token)}`)).status).toBe(204);
    expect(await me(door, bearer(token))).toBe(401);
    expect((await door.call('DELETE', `/api/tokens/${tokenId(token)}`)).status).toBe(404);
  });

  it('of a browser is worth nothing as soon as it has logged out', async () => {
    const door = await startDoor({}, { now: stoppedClock().now });
    const cookie = await door.cookie();
    expect(await me(door, { cookie })).toBe(200);
    const headers = { cookie, 'content-type': 'application/json', origin: door.door.url };
    const left = await fetch(`${door.door.url}/api/logout`, { method: 'POST', headers, body: '{}' });
    expect(left.status).toBe(204);
    expect(await me(door, { cookie })).toBe(401);
  });

  it('that another process revoked is worth nothing two seconds later', async () => {
    const clock = stoppedClock();
    const door = await startDoor({}, { now: clock.now });
    const token = await door.tokenWith(['chat']);
    expect(await me(door, bearer(token))).toBe(200);
    await door.store.tokens.revoke(tokenId(token));
    clock.time += 2_000;
    expect(await me(door, bearer(token))).toBe(401);
  });

  it('of the operator is good on this machine alone, and not through a proxy', async () => {
    const door = await startDoor();
    const token = await door.tokenWith(['admin', 'chat', 'local']);
    expect(await me(door, bearer(token))).toBe(200);
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip'])
      expect(await me(door, { ...bearer(token), [header]: '203.0.113.9' }), header).toBe(403);
    expect(await me(door, { ...bearer(door.token), 'x-forwarded-for': '203.0.113.9' })).toBe(200);
  });

  it('is worth nothing after its time', async () => {
    const clock = stoppedClock();
    const door = await startDoor({}, { now: clock.now });
    const token = await door.tokenWith(['chat'], 700);
    expect(await me(door, bearer(token))).toBe(200);
    await expect
      .poll(() => {
        clock.time += 2_000;
        return me(door, bearer(token));
      })
      .toBe(401);
  });

  it('takes its streams with it when it is revoked', async () => {
    const door = await startDoor({}, { timing: { tokenWatchMs: 30 } });
    const token = await door.tokenWith(['chat']);
    const { id } = await door.begin();
    const read = async (path: string) => {
      for await (const _message of readStream(`${door.door.url}${path}`, bearer(token)));
      return 'ended';
    };
    const streams = [read(`/api/sessions/${id}/events`), read('/api/feed')];
    await expect.poll(() => door.gateway.feed.followers).toBe(1);
    await door.store.tokens.revoke(tokenId(token));
    expect(await Promise.all(streams)).toEqual(['ended', 'ended']);
    expect(door.gateway.feed.followers).toBe(0);
  });

  it.each([
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
    ['/v1/responses', { input: 'hi' }],
  ])('ends a stream of %s that its revoked token has open, and its turn', async (path, asked) => {
    const door = await startDoor(
      { agents: (at) => [shell('slow', 'sleep 30', at)] },
      { timing: { tokenWatchMs: 30 } },
    );
    const token = await door.tokenWith(['chat']);
    const body = { model: 'slow', stream: true, ...asked };
    const answer = await door.call('POST', path, body, bearer(token));
    await expect.poll(() => door.gateway.engine.running.size).toBe(1);
    await door.store.tokens.revoke(tokenId(token));
    await expect(answer.text()).rejects.toThrow();
    await expect.poll(() => door.gateway.engine.running.size).toBe(0);
  });
});

describe('the watch over tokens of streams', () => {
  it('ends nothing because the store cannot be asked', async () => {
    let asked = 0;
    let answer: () => Promise<undefined> = () => {
      asked += 1;
      return Promise.reject(new Error('closed'));
    };
    const tokenWatch = createTokenWatch({ find: () => answer() } as never, 5);
    let ended = 0;
    const unwatchToken = tokenWatch.watch({ id: 'a', name: 'a', scopes: [], hash: 'h' }, () => {
      ended += 1;
    });
    await expect.poll(() => asked).toBeGreaterThan(2);
    expect(ended).toBe(0);
    answer = () => Promise.resolve(undefined);
    await expect.poll(() => ended).toBeGreaterThan(0);
    unwatchToken();
  });
});

describe('guessing', () => {
  it('is slowed down for whoever does it, and locks nobody out', async () => {
    const door = await startDoor();
    const statuses: number[] = [];
    for (let count = 0; count < 60; count++) statuses.push(await me(door, bearer(`pb_guess${count}`)));
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401));
    expect(new Set(statuses.slice(20))).toEqual(new Set([429]));
    const late = await fetch(`${door.door.url}/api/me`, { headers: bearer('pb_once_more') });
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await me(door, bearer(door.token))).toBe(200);
  });

  it('of login codes counts as well', async () => {
    const door = await startDoor();
    const login = async (code: string) =>
      (
        await fetch(`${door.door.url}/api/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ code }),
        })
      ).status;
    const statuses: number[] = [];
    for (let count = 0; count < 25; count++) statuses.push(await login(`guess${count}`));
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.at(-1)).toBe(429);
    expect(await login(door.door.codes.create())).toBe(204);
  });

  it('from a thousand addresses is slowed down as well', () => {
    const guesses = createGuessLimit(() => 0);
    const tried = Array.from({ length: 1_100 }, (_none, at) => {
      try {
        guesses.wrong(`10.0.${at >> 8}.${at & 255}`);
        return 'wrong';
      } catch {
        return 'slow';
      }
    });
    expect(tried.filter((one) => one === 'wrong')).toHaveLength(1_000);
  });

  it('tells nothing about which keys there are', async () => {
    const door = await startDoor();
    const revoked = await door.tokenWith(['chat']);
    await door.store.tokens.revoke(tokenId(revoked));
    const bodies = await Promise.all(
      [revoked, newSecret(), 'x'].map(async (token) => {
        const answer = await fetch(`${door.door.url}/api/me`, { headers: bearer(token) });
        return (await answer.text()).replace(/"requestId":"[^"]+"/, '');
      }),
    );
    expect(new Set(bodies).size).toBe(1);
  });
});

describe('a login code', () => {
  it('is good once and for five minutes', () => {
    const clock = stoppedClock();
    const codes = createLoginCodes(clock.now);
    const [first, second] = [codes.create(), codes.create()];
    expect([codes.take(first), codes.take(first)]).toEqual([{ operates: false }, undefined]);
    clock.time += 300_000;
    expect(codes.take(second)).toBeUndefined();
    expect(codes.take('')).toBeUndefined();
  });

  it('is forgotten after 32 newer ones', () => {
    const codes = createLoginCodes(stoppedClock().now);
    const [first = '', second = ''] = Array.from({ length: 33 }, () => codes.create());
    expect([codes.take(first), codes.take(second)]).toEqual([undefined, { operates: false }]);
  });

  it('logs one browser in, however many try it at once', async () => {
    const door = await startDoor();
    const code = door.door.codes.create();
    const tries = await Promise.all(
      Array.from({ length: 10 }, () =>
        fetch(`${door.door.url}/api/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ code }),
        }),
      ),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(401)]);
    expect((await door.store.tokens.list()).filter(({ name }) => name === 'browser')).toHaveLength(1);
  });

  it('is only made for an operator', async () => {
    const door = await startDoor();
    const made = await door.call('POST', '/api/login-codes', {});
    expect(made.status).toBe(201);
    const { code } = (await made.json()) as { code: string };
    expect(door.door.codes.take(code)).toBeDefined();
  });
});

describe('the cookie of a browser', () => {
  const login = async (door: Door) =>
    (
      await fetch(`http://127.0.0.1:${door.door.port}/api/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code: door.door.codes.create() }),
      })
    ).headers.get('set-cookie') ?? '';

  it('can be read by no script, is sent by no other site, and travels over TLS alone where there is TLS', async () => {
    const plain = await login(await startDoor());
    expect(plain).toMatch(
      /^plugboard_session=pb_[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    const secured = await login(await startDoor({ server: { publicUrl: 'https://gate.example' } }));
    expect(secured).toMatch(/; HttpOnly; SameSite=Strict; Secure$/);
  });

  it('is worth nothing after logging out', async () => {
    const clock = stoppedClock();
    const door = await startDoor({}, { now: clock.now });
    const cookie = await door.cookie();
    expect(await me(door, { cookie: `other=1; ${cookie}; more=2` })).toBe(200);
    const left = await fetch(`${door.door.url}/api/logout`, {
      method: 'POST',
      headers: { cookie, origin: door.door.url, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(left.status).toBe(204);
    expect(left.headers.get('set-cookie')).toMatch(/^plugboard_session=; .*Max-Age=0/);
    clock.time += 2_000;
    expect(await me(door, { cookie })).toBe(401);
  });

  it('of a program that logs out with its token is not taken from it', async () => {
    const door = await startDoor();
    expect((await door.call('POST', '/api/logout', {})).status).toBe(204);
    expect((await door.call('GET', '/api/me')).status).toBe(200);
  });
});

describe('the pace', () => {
  it('is so many a minute for each, and says how long to wait', () => {
    const clock = stoppedClock();
    const limit = createRateLimit(() => 60, clock.now);
    for (let count = 0; count < 60; count++) expect(limit.take('ada')).toBeUndefined();
    expect(limit.take('ada')).toBe(1);
    expect(limit.take('bob')).toBeUndefined();
    clock.time += 1_000;
    expect(limit.take('ada')).toBeUndefined();
    expect(limit.take('ada')).toBe(1);
    // After any pause there are as many at once as in a minute, and no more.
    clock.time += 3_600_000;
    for (let count = 0; count < 60; count++) expect(limit.take('ada')).toBeUndefined();
    expect(limit.take('ada')).toBe(1);
  });

  it('survives a clock that is set back, and a crowd that never comes again', () => {
    const clock = stoppedClock();
    const limit = createRateLimit(() => 10, clock.now);
    for (let count = 0; count < 10; count++) limit.take('ada');
    clock.time -= 3_600_000;
    expect(limit.take('ada')).toBe(6);
    const begun = process.threadCpuUsage();
    for (let count = 0; count < 100_000; count++) limit.take(`address:${count}`);
    expect(process.threadCpuUsage(begun).user / 1_000).toBeLessThan(1_000);
  });

  it('remembers those who were seen last, and forgets the others', () => {
    const limit = createRateLimit(() => 1, stoppedClock().now);
    const crowd = (name: string, size: number): void => {
      for (let count = 0; count < size; count++) limit.take(`${name}:${count}`);
    };
    limit.take('ada');
    crowd('first', 4_999);
    expect(limit.take('ada')).toBe(60);
    crowd('second', 5_000);
    expect(limit.take('ada')).toBe(60);
    crowd('third', 10_000);
    expect(limit.take('ada')).toBeUndefined();
  });

  it('is kept at the door, by token and by address', async () => {
    const door = await startDoor({ server: { requestsPerMinute: 5 } });
    const other = await door.tokenWith(['chat']);
    const statuses = async (headers: Record<string, string>, path = '/api/me') => {
      const all: number[] = [];
      for (let count = 0; count < 7; count++)
        all.push((await fetch(`${door.door.url}${path}`, { headers })).status);
      return all;
    };
    expect(await statuses(bearer(door.token))).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect((await statuses(bearer(other)))[0]).toBe(200);
    expect(await statuses({}, '/healthz')).toEqual([200, 200, 200, 200, 200, 429, 429]);
    for (const path of ['/api/me', '/nothing']) expect((await statuses({}, path))[0]).toBe(429);
    const limited = await fetch(`${door.door.url}/healthz`);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await limited.json()).toMatchObject({ error: { code: 'too-many' } });
  });
});
