import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request that a fake platform was sent. */
export interface FakeCall {
  /** When its body had come, on the monotonic clock. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface FakeReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: object | string | Uint8Array;
  /** Breaks the connection after so many bytes of the body. */
  readonly cutAfter?: number;
}

/**
 * What happens to a call instead of its proper answer. `lose` breaks the connection before the platform takes the call, `cut`
 * after it; `hang` takes nothing and never answers. A reply with `taken` is sent although the call was carried out.
 */
export type FakeTrouble =
  | 'lose'
  | 'cut'
  | 'hang'
  | (FakeReply & { readonly taken?: true })
  | { readonly delayMs: number };

export interface FakeServer extends AsyncDisposable {
  /** Begins with `http:` and has no slash at its end. */
  readonly url: string;
  readonly port: number;
  /** Every request, in the order in which the bodies had come. */
  readonly calls: readonly FakeCall[];
  /** What happens to the next `times` calls that `matches`. */
  trouble(trouble: FakeTrouble, matches: (call: FakeCall) => boolean, times?: number): void;
  /** Closes the port and all connections: nobody can connect. */
  down(): Promise<void>;
  /** Listens on the same port again. */
  up(): Promise<void>;
}

export interface FakeServerOptions {
  /** Carries out a call; what it throws is answered with 500. */
  answer(call: FakeCall): FakeReply | Promise<FakeReply>;
  /** Takes WebSocket connections. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Starts an HTTP server on loopback on which any call can go wrong in the ways that calls of real platforms do. */
export async function startFakeServer({ answer, upgrade }: FakeServerOptions): Promise<FakeServer> {
  const calls: FakeCall[] = [];
  const troubles: { trouble: FakeTrouble; times: number; matches: (call: FakeCall) => boolean }[] = [];
  const takeTrouble = (call: FakeCall): FakeTrouble | undefined => {
    const found = troubles.find(({ times, matches }) => times > 0 && matches(call));
    if (found !== undefined) found.times -= 1;
    return found?.trouble;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await readCall(request);
    calls.push(call);
    const trouble = takeTrouble(call);
    if (trouble === 'hang') return;
    if (trouble === 'lose') return void response.destroy();
    if (typeof trouble === 'object' && 'status' in trouble && trouble.taken === undefined)
      return write(response, trouble);
    if (typeof trouble === 'object' && 'delayMs' in trouble) await sleep(trouble.delayMs);
    const reply = await answer(call);
    if (trouble === 'cut') return void response.destroy();
    write(response, typeof trouble === 'object' && 'status' in trouble ? trouble : reply);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.destroyed) return;
      write(response, { status: 500, body: String(error) });
    });
  });
  const sockets = new Set<Duplex>();
  if (upgrade !== undefined)
    server.on('upgrade', (request, socket, head) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      upgrade(request, socket, head);
    });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => void server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const down = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
    });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    calls,
    trouble: (trouble, matches, times = 1) => void troubles.push({ trouble, times, matches }),
    down,
    up: () => listen(port),
    [Symbol.asyncDispose]: down,
  };
}

async function readCall(request: IncomingMessage): Promise<FakeCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://platform');
  return {
    at: performance.now(),
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks),
  };
}

function write(response: ServerResponse, { status, headers = {}, body = '', cutAfter }: FakeReply): void {
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array);
  response.writeHead(status, { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers });
  if (cutAfter !== undefined && body instanceof Uint8Array)
    return void response.write(body.subarray(0, cutAfter), () => response.destroy());
  response.end(isJson ? JSON.stringify(body) : body);
}
