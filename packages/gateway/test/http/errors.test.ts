import type { Store } from '@plugboard/store';
import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/http/http.ts';
import type { Logger } from '../../src/log.ts';
import { type Door, startDoor } from './door.ts';

const LEAKS = /at .*\.(ts|js):|node:|node_modules|\/src\/|SELECT|sqlite|\/tmp\/|gateway\.db|SECRET-INSIDE/i;

/** A store in which everything but looking up tokens breaks, and says more than it should. */
function broken(store: Store): Store {
  const fail = (): never => {
    throw new Error('SQLITE_ERROR: near "SELECT": /var/lib/gateway.db SECRET-INSIDE');
  };
  const late = async (): Promise<never> => fail();
  const part = new Proxy({}, { get: () => late });
  const tokens = { ...store.tokens, list: late, add: late, revoke: late };
  const parts: Record<string | symbol, unknown> = { tokens, check: late, backup: late };
  return new Proxy(store, { get: (_target, name) => parts[name] ?? part });
}

function memoryLog() {
  const lines: { message: string; fields: unknown }[] = [];
  const note = (message: string, fields?: unknown): void => void lines.push({ message, fields });
  const log: Logger = { debug: note, info: note, warn: note, error: note };
  return { lines, log };
}

async function ask(door: Door, method: string, path: string): Promise<Response> {
  const body = method === 'post' || method === 'patch' ? (BODIES[path] ?? {}) : undefined;
  const filled = path.replace(':id', 'x');
  const query = path === '/api/media' && method === 'post' ? '?session=x' : '';
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 3_000).unref();
  return fetch(`${door.door.url}${filled}${query}`, {
    method: method.toUpperCase(),
    headers: {
      authorization: `Bearer ${door.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: abort.signal,
  });
}

const BODIES: Readonly<Record<string, unknown>> = {
  '/api/sessions/:id/messages': { text: 'hello' },
  '/api/sessions/:id/notices': { text: 'hello' },
  '/api/turns/:id/steer': { text: 'hello' },
  '/api/tokens': { name: 'x', scopes: ['chat'] },
  '/api/backup': { file: '/nowhere/at/all' },
  '/v1/chat/completions': { model: 'echo', messages: [{ role: 'user', content: 'hi' }] },
  '/v1/responses': { model: 'echo', input: 'hi' },
};

describe('when everything inside breaks', () => {
  it('no answer tells what is inside, and each names the request that the log tells of', async () => {
    const { lines, log } = memoryLog();
    const door = await startDoor({ log });
    const mutable = door.gateway as { store: Store };
    const { store } = mutable;
    mutable.store = broken(store);
    const seen: string[] = [];
    for (const { method, path, tag } of allRoutes({ version: '0' })) {
      if (tag === 'page' || path === '/api/feed') continue;
      const answer = await ask(door, method, path);
      const text = await answer.text();
      expect([path, LEAKS.exec(text)?.[0]]).toEqual([path, undefined]);
      if (answer.status !== 500) continue;
      seen.push(path);
      const { error } = JSON.parse(text) as {
        error: { requestId?: string; request_id?: string; message: string };
      };
      const id = answer.headers.get('x-request-id');
      expect(error.requestId ?? error.request_id).toBe(id);
      expect(
        lines.find(({ fields }) => (fields as { request?: string } | undefined)?.request === id)?.message,
      ).toContain('SECRET-INSIDE');
    }
    mutable.store = store;
    expect(seen.length).toBeGreaterThan(10);
  });
});

describe('a token that is made', () => {
  it.each([
    [{ name: 'two\nlines', scopes: ['chat'] }, 'no line feeds'],
    [{ name: '\u001b[31mred', scopes: ['chat'] }, 'no control characters'],
    [{ name: 'useless', scopes: ['agent:echo'] }, 'A scope such as chat is needed'],
  ])('is refused with %j', async (body, words) => {
    const door = await startDoor({});
    const headers = { authorization: `Bearer ${door.token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${door.door.url}/api/tokens`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(words);
  });
});

describe('readiness', () => {
  it('is lost with the store and when the gateway stops, and says no more than that', async () => {
    let time = 0;
    const door = await startDoor({}, { now: () => time });
    const ready = async () => {
      time += 1_000;
      const answer = await fetch(`${door.door.url}/readyz`);
      return [answer.status, await answer.text()];
    };
    expect(await ready()).toEqual([200, 'ready\n']);
    const mutable = door.gateway as { store: Store };
    const { store } = mutable;
    mutable.store = broken(store);
    expect(await ready()).toEqual([503, 'not ready\n']);
    expect(await (await fetch(`${door.door.url}/healthz`)).text()).toBe('ok\n');
    mutable.store = store;
    door.gateway.engine.stopping = true;
    expect(await ready()).toEqual([503, 'not ready\n']);
    const { id } = await door.store.sessions.open({ channel: 'web', place: 'x', agent: 'echo' });
    const refused = await door.call('POST', `/api/sessions/${id}/messages`, { text: 'hi' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  });
});
