import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { createAgents, type FakeAgents } from './fake-agent.ts';
import { type Answer, answerTo } from './fake-routes.ts';
import { type Change, createState, type FakeState } from './fake-state.ts';

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; " +
  "font-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'; " +
  "require-trusted-types-for 'script'";

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

/** A gateway in memory that keeps to the contract and does what a test tells it. */
export interface FakeGateway {
  readonly state: FakeState;
  readonly agents: FakeAgents;
  readonly url: string;
  /** Requests for messages that came in, also those that repeat one. */
  readonly posts: string[];
  loginLink(): string;
  /** Cuts every connection and stops listening, as when the gateway dies. */
  down(): Promise<void>;
  /** Comes back at the same address with what it remembers. */
  up(): Promise<void>;
}

export async function startFakeGateway(dist: string): Promise<FakeGateway> {
  const state = createState();
  const agents = createAgents(state);
  const posts: string[] = [];
  let server: Server | undefined;
  let port = 0;

  const up = async (): Promise<void> => {
    server = createServer((request, response) => {
      serve({ state, agents, dist, posts }, request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  };
  const down = async (): Promise<void> => {
    const closed = new Promise((resolve) => server?.close(resolve));
    server?.closeAllConnections();
    await closed;
  };
  await up();
  const url = `http://127.0.0.1:${port}`;
  const loginLink = (): string => {
    const code = randomUUID();
    state.codes.add(code);
    return `${url}/#code=${code}`;
  };
  return { state, agents, url, posts, loginLink, down, up };
}

interface Serving {
  readonly state: FakeState;
  readonly agents: FakeAgents;
  readonly dist: string;
  readonly posts: string[];
}

async function serve(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { state, agents, dist, posts } = serving;
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('referrer-policy', 'no-referrer');
  if (!url.pathname.startsWith('/api/')) return serveFile(dist, url.pathname, response);
  const raw = await readBody(request);
  const body = parse(request, raw);
  if (url.pathname === '/api/login') return give(response, login(state, String(body.code)));
  if (!state.cookies.has(/plugboard=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '')) {
    return give(response, { status: 401, body: { error: { code: 'unauthenticated', message: 'Log in.' } } });
  }
  if (url.pathname === '/api/feed') {
    stream(state, response, feedText);
    response.write(feedText({ kind: 'agents', agents: state.agents }));
    return;
  }
  if (request.headers.accept === 'text/event-stream') return serveEvents(state, url, response);
  if (url.pathname.endsWith('/messages')) posts.push(String(body.id));
  give(response, answerTo(request.method ?? 'GET', { state, agents, url, body, raw, request }));
}

function login(state: FakeState, code: string): Answer {
  if (!state.codes.delete(code))
    return { status: 401, body: { error: { code: 'unauthenticated', message: 'No.' } } };
  const cookie = randomUUID();
  state.cookies.add(cookie);
  return { status: 204, headers: { 'set-cookie': `plugboard=${cookie}; HttpOnly; SameSite=Strict; Path=/` } };
}

function serveFile(dist: string, path: string, response: ServerResponse): void {
  const file = join(dist, path === '/' ? 'index.html' : path);
  if (!existsSync(file)) return give(response, { status: 404 });
  const headers = {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'content-security-policy': CSP,
  };
  give(response, { status: 200, bytes: readFileSync(file), headers });
}

function serveEvents(state: FakeState, url: URL, response: ServerResponse): void {
  const id = decodeURIComponent(url.pathname.split('/')[3] ?? '');
  const text = (change: Change): string => {
    if (change.kind === 'agents') return '';
    if (change.kind === 'session') return change.session.id === id ? sse('status', change.session) : '';
    return change.sessionId === id ? sse('event', change.view, change.view.number) : '';
  };
  stream(state, response, text);
  const session = state.sessions.get(id);
  if (session !== undefined) response.write(text({ kind: 'session', session }));
  const missed = (state.events.get(id) ?? []).slice(Number(url.searchParams.get('after') ?? 0));
  for (const view of missed) response.write(text({ kind: 'event', sessionId: id, view }));
}

function feedText(change: Change): string {
  if (change.kind === 'agents') return sse('agents', { agents: change.agents });
  return change.kind === 'session' ? sse('session', change.session) : '';
}

function stream(state: FakeState, response: ServerResponse, text: (change: Change) => string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(': hello\n\n');
  const watcher = (change: Change): void => {
    const message = text(change);
    if (message !== '') response.write(message);
  };
  state.watchers.add(watcher);
  response.on('close', () => state.watchers.delete(watcher));
}

function sse(event: string, data: unknown, id?: number): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

function give(response: ServerResponse, { status, body, bytes, headers = {} }: Answer): void {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...type, ...headers });
  response.end(bytes ?? (body === undefined ? undefined : JSON.stringify(body)));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parse(request: IncomingMessage, raw: Buffer): Record<string, unknown> {
  if (request.headers['content-type'] !== 'application/json') return {};
  return JSON.parse(raw.toString() || '{}') as Record<string, unknown>;
}
