import { describe, expect, it } from 'vitest';
import { type Door, startDoor } from './door.ts';
import { pageFolder } from './page-folder.ts';

const SAME = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
};
const CLOSED = "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
const NOTHING = `default-src 'none'; ${CLOSED}`;

/** What does not change from one request to the next. */
const VARYING =
  /^(date|x-request-id|content-length|connection|keep-alive|transfer-encoding|etag|set-cookie)$/;

async function headersOf(door: Door, path: string, init: RequestInit = {}) {
  const abort = new AbortController();
  const answer = await fetch(`${door.door.url}${path}`, {
    headers: { authorization: `Bearer ${door.token}` },
    signal: abort.signal,
    ...init,
  });
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !VARYING.test(name)));
  const requestId = answer.headers.get('x-request-id') ?? '';
  abort.abort();
  return { status: answer.status, headers, requestId };
}

describe('the headers', () => {
  it('of every kind of answer let a browser do nothing that is not meant', async () => {
    const door = await startDoor({}, { page: pageFolder() });
    const { id } = await door.begin();
    const bytes = async function* () {
      yield Buffer.from('<svg onload="alert(1)">');
    };
    const media = await door.gateway.media.add(id, { name: 'a.svg', bytes: bytes() });
    const json = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    const page = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; require-trusted-types-for 'script'; ${CLOSED}`;
    const viewer = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; ${CLOSED}`;
    const wanted: [string, number, string, Record<string, string>, RequestInit?][] = [
      [
        '/',
        200,
        page,
        {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-cache',
          'content-encoding': 'gzip',
          vary: 'accept-encoding',
        },
      ],
      [
        '/assets/app-0a1b2c3d.css',
        200,
        page,
        {
          'content-type': 'text/css; charset=utf-8',
          'cache-control': 'public, max-age=31536000, immutable',
          'content-encoding': 'gzip',
          vary: 'accept-encoding',
        },
      ],
      ['/docs', 200, viewer, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' }],
      [
        '/docs.js',
        200,
        viewer,
        { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' },
      ],
      ['/openapi.json', 200, NOTHING, { 'content-type': 'application/json', 'cache-control': 'no-cache' }],
      [
        '/healthz',
        200,
        NOTHING,
        { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
      ],
      [
        '/metrics',
        200,
        NOTHING,
        { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
      ],
      ['/api/me', 200, NOTHING, json],
      [`/api/sessions/${id}`, 200, NOTHING, json],
      [
        `/api/sessions/${id}`,
        204,
        NOTHING,
        {},
        { method: 'DELETE', headers: { authorization: `Bearer ${door.token}` } },
      ],
      [
        '/api/feed',
        200,
        NOTHING,
        {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        },
      ],
      [
        `/api/media/${media.id}`,
        200,
        `default-src 'none'; sandbox; ${CLOSED}`,
        {
          'content-type': 'text/plain; charset=utf-8',
          'content-disposition': "attachment; filename*=UTF-8''a.svg",
          'cache-control': 'private, no-cache',
          'accept-ranges': 'bytes',
        },
      ],
      ['/v1/models', 200, NOTHING, json],
      ['/nothing', 404, NOTHING, json],
      ['/v1/nothing', 404, NOTHING, json],
      ['/api/me', 401, NOTHING, json, { headers: {} }],
      ['/api/me', 405, NOTHING, { ...json, allow: 'GET, HEAD' }, { method: 'DELETE' }],
      ['/api/me', 403, NOTHING, json, { headers: { origin: 'https://evil.example' } }],
      ['/api/sessions?x=1', 400, NOTHING, json],
    ];
    for (const [path, status, policy, own, init] of wanted) {
      const answer = await headersOf(door, path, init);
      expect([path, answer.status, answer.headers]).toEqual([
        path,
        status,
        { ...SAME, 'content-security-policy': policy, ...own },
      ]);
      expect(answer.requestId).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('allow no script or style that stands in a page, anywhere', async () => {
    const door = await startDoor({}, { page: pageFolder() });
    for (const path of ['/', '/docs', '/api/me', '/nothing']) {
      const { headers } = await headersOf(door, path);
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|https?:|data:/);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers.server ?? headers['x-powered-by']).toBeUndefined();
    }
  });
});
