import { onTestEnd } from '@plugboard/testkit';
import { afterAll, beforeAll } from 'vitest';
import { type HttpDoor, type HttpOptions, openHttp } from '../../src/http/http.ts';
import { hashOf, newSecret } from '../../src/http/secrets.ts';
import type { SessionView } from '../../src/http/shapes.ts';
import { type Bench, type Setting, startBench, type WhenDone } from '../harness.ts';

export interface Door extends Bench {
  readonly door: HttpDoor;
  readonly token: string;
  /** A request with a token that may do everything. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  begin(agent?: string): Promise<SessionView>;
  tokenWith(scopes: readonly string[], expiresInMs?: number): Promise<string>;
  /** The cookie of a browser that has logged in. */
  cookie(): Promise<string>;
}

/** The id of a token made by `tokenWith`. */
export function tokenId(secret: string): string {
  return `t-${hashOf(secret).slice(0, 8)}`;
}

/** A gateway behind HTTP on a free port. */
export async function startDoor(
  setting: Setting = {},
  options: Partial<HttpOptions> = {},
  whenDone: WhenDone = onTestEnd,
): Promise<Door> {
  const bench = await startBench(setting, whenDone);
  const door = await openHttp(bench.gateway, { now: Date.now, version: '0.0.0', ...options });
  whenDone(() => door.close(0));
  const tokenWith: Door['tokenWith'] = async (scopes, expiresInMs) => {
    const secret = newSecret();
    await bench.store.tokens.add({
      id: tokenId(secret),
      name: 'ada',
      hash: hashOf(secret),
      scopes,
      ...(expiresInMs === undefined ? {} : { expiresInMs }),
    });
    return secret;
  };
  const token = await tokenWith(['admin', 'chat', 'inspect', 'metrics']);
  const call: Door['call'] = (method, path, body, headers = {}) =>
    fetch(`${door.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    ...bench,
    door,
    token,
    call,
    tokenWith,
    async cookie() {
      const response = await fetch(`http://127.0.0.1:${door.port}/api/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code: door.codes.create() }),
      });
      return response.headers.get('set-cookie')?.split(';')[0] ?? '';
    },
    async begin(agent) {
      const response = await call('POST', '/api/sessions', agent === undefined ? {} : { agent });
      return (await response.json()) as SessionView;
    },
  };
}

/** One gateway for all tests of a file that leave it as it was. */
export function sharedDoor(setting: Setting = {}, options: Partial<HttpOptions> = {}): () => Door {
  const ends: (() => unknown)[] = [];
  let door: Door | undefined;
  beforeAll(async () => {
    door = await startDoor(setting, options, (end) => void ends.unshift(end));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return () => {
    if (door === undefined) throw new Error('The door is opened before the first test.');
    return door;
  };
}
