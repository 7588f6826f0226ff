import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from './app.ts';
import { limitConnections } from './connections.ts';
import type { Timing } from './timing.ts';

const HEADER_BYTES = 16 * 1024;

/** No request may take longer to come, however large its file and slow its line. */
const LONGEST_MS = 3_600_000;

/** Silence after which a peer is asked whether it is still there; it is given up ten seconds later. */
const PROBE_MS = 4_000;

export interface HttpServer {
  readonly address: AddressInfo;
  /** Takes no more requests, lets those under way finish, and cuts what is left after so long. */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly timing: Timing;
  readonly proxies: () => readonly string[];
}

/** Listens. Rejects with a sentence that says what to do when it cannot. */
export async function listen(app: App, { host, port, timing, proxies }: ListenOptions): Promise<HttpServer> {
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: timing.headersMs,
      requestTimeout: LONGEST_MS,
      keepAliveTimeout: timing.idleMs,
      // How often the two above are looked at; Node does so every 30 seconds unless told.
      connectionsCheckingInterval: Math.min(1_000, timing.headersMs / 2),
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
    },
    (incoming, outgoing) => void app(incoming, outgoing).catch(() => outgoing.destroy()),
  );
  limitConnections(server, proxies);
  await opened(server, { host, port });
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
