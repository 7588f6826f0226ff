import { onTestFinished } from 'vitest';
import { type HttpDoor, openHttp } from '../../src/http/http.ts';
import { hashOf, newSecret } from '../../src/http/secrets.ts';
import type { SessionView } from '../../src/http/shapes.ts';
import { type Bench, type Setting, startBench } from '../harness.ts';

export interface Door extends Bench {
  readonly door: HttpDoor;
  readonly token: string;
  /** A request with a token that may do everything. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  begin(agent?: string): Promise<SessionView>;
  tokenWith(scopes: readonly string[]): Promise<string>;
}

/** A gateway behind HTTP on a free port. */
export async function startDoor(setting: Setting = {}): Promise<Door> {
  const bench = await startBench(setting);
  const door = await openHttp(bench.gateway, { now: Date.now, version: '0.0.0' });
  onTestFinished(() => door.close(0));
  const tokenWith = async (scopes: readonly string[]): Promise<string> => {
    const secret = newSecret();
    await bench.store.tokens.add({
      id: `t-${hashOf(secret).slice(0, 8)}`,
      name: 'ada',
      hash: hashOf(secret),
      scopes,
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
    async begin(agent) {
      const response = await call('POST', '/api/sessions', agent === undefined ? {} : { agent });
      return (await response.json()) as SessionView;
    },
  };
}
