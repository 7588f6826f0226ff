import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { App } from './app.ts';

/** Time for the headers of a request; whoever is slower is up to something, or gone. */
const HEADERS_MS = 10_000;
const IDLE_MS = 60_000;
const MOST_CONNECTIONS = 4_096;

export interface HttpServer {
  readonly address: AddressInfo;
  /** Takes no more requests, lets those under way finish, and cuts what is left after so long. */
  close(graceMs: number): Promise<void>;
}

/** Listens. Rejects with a sentence that says what to do when it cannot. */
export async function listen(
  app: App,
  at: { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  const listener = getRequestListener((request, env) => app.fetch(request, env as never), {
    overrideGlobalObjects: false,
  });
  const server = createServer(
    { requestTimeout: 0, headersTimeout: HEADERS_MS, keepAliveTimeout: IDLE_MS },
    listener,
  );
  server.maxConnections = MOST_CONNECTIONS;
  await opened(server, at);
  const address = server.address() as AddressInfo;
  return { address, close: (graceMs) => closed(server, graceMs) };
}

function opened(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(listenProblem(error, host, port))),
    );
    server.listen({ host, port, backlog: 1_024 }, resolve);
  });
}

function listenProblem({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken: is a gateway running already? Choose another with --port.`;
  if (code === 'EACCES') return `Port ${port} may not be used: those below 1024 need special rights.`;
  if (code === 'EADDRNOTAVAIL') return `This machine has no address ${host}.`;
  return `Cannot listen on ${host}:${port}: ${message}`;
}

async function closed(server: Server, graceMs: number): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await done;
  clearTimeout(timer);
}
