import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isLoopback } from '../config/loopback.ts';

/** Most connections of the server, and of one address. */
export interface ConnectionLimits {
  readonly all: number;
  readonly perAddress: number;
}

const LIMITS: ConnectionLimits = { all: 4_096, perAddress: 512 };

/**
 * Limits connections. When `all` are open, a new connection closes the one that has been idle longest, so that idle
 * connections cannot block the server; it is refused only when every connection has a request. `perAddress` does not
 * apply to this machine and the operator's proxies, which carry many clients.
 */
export function limitConnections(
  server: Server,
  proxies: () => readonly string[],
  limits: ConnectionLimits = LIMITS,
): void {
  const perAddress = new Map<string, number>();
  /** Connections without a request, the longest idle first: a `Set` iterates in insertion order. */
  const idle = new Set<Socket>();
  let open = 0;

  server.on('connection', (socket: Socket) => {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
    const counted = !isLoopback(address) && !proxies().includes(address);
    const count = (perAddress.get(address) ?? 0) + 1;
    if (counted && count > limits.perAddress) return void socket.destroy();
    if (open >= limits.all && !closeOldest(idle)) return void socket.destroy();
    open += 1;
    idle.add(socket);
    if (counted) perAddress.set(address, count);
    socket.once('close', () => {
      open -= 1;
      idle.delete(socket);
      if (counted) decreaseCount(perAddress, address);
    });
  });
  server.on('request', ({ socket }: IncomingMessage, outgoing: ServerResponse) => {
    idle.delete(socket);
    outgoing.once('close', () => {
      if (!socket.destroyed) idle.add(socket);
    });
  });
}

function closeOldest(idle: Set<Socket>): boolean {
  for (const socket of idle) {
    idle.delete(socket);
    socket.destroy();
    return true;
  }
  return false;
}

function decreaseCount(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1;
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}
