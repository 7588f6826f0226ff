import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from './app.ts';
import { limitConnections } from './connections.ts';
import type { Timing } from './timing.ts';

const HEADER_BYTES = 16 * 1024;

/** Timeout of a whole request, which must suffice for a large file on a slow line. */
const LONGEST_MS = 3_600_000;

/** Idle time before TCP keep-alive probes; a dead peer is dropped 10 s later. */
const PROBE_MS = 4_000;

export interface HttpServer {
  readonly address: AddressInfo;
  /** Stops accepting, waits `graceMs` for running requests, then closes all connections. */
  close(graceMs: number): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly timing: Timing;
  readonly proxies: () => readonly string[];
}

/** Starts listening. Rejects with a message for the operator. */
export async function startServer(
  app: App,
  { host, port, timing, proxies }: ListenOptions,
): Promise<HttpServer> {
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: timing.headersMs,
      requestTimeout: LONGEST_MS,
      keepAliveTimeout: timing.idleMs,
      // Interval at which `headersTimeout` and `requestTimeout` are checked; the default of Node is 30 s.
      connectionsCheckingInterval: Math.min(1_000, timing.headersMs / 2),
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
    },
    (incoming, outgoing) => void app(incoming, outgoing).catch(() => outgoing.destroy()),
  );
  limitConnections(server, proxies);
  await startListening(server, { host, port });
  const address = server.address() as AddressInfo;
  return { address, close: (graceMs) => closeServer(server, graceMs) };
}

function startListening(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
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

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await done;
  clearTimeout(timer);
}
