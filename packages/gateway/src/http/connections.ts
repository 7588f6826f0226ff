import type { Server, Socket } from 'node:net';
import { isLoopback } from '../config/loopback.ts';

/** Connections in all, and from one address: nobody is to have all of them. */
const MOST = 4_096;
const MOST_FROM_ONE = 512;

/** Refuses connections beyond the limits. This machine and the operator's proxies speak for many. */
export function limitConnections(
  server: Server,
  proxies: () => readonly string[],
  most = MOST_FROM_ONE,
): void {
  const open = new Map<string, number>();
  server.maxConnections = MOST;
  server.on('connection', (socket: Socket) => {
    const from = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
    if (isLoopback(from) || proxies().includes(from)) return;
    const count = (open.get(from) ?? 0) + 1;
    if (count > most) return void socket.destroy();
    open.set(from, count);
    socket.once('close', () => {
      const left = (open.get(from) ?? 1) - 1;
      if (left > 0) open.set(from, left);
      else open.delete(from);
    });
  });
}
