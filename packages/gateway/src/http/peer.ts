import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../config/loopback.ts';

/**
 * The client address. `X-Forwarded-For` counts only when the connection comes from one of `proxies`: each proxy appends
 * the address of its peer, so the last address that is not in `proxies` is the client.
 */
export function peerOf({ socket, headers }: IncomingMessage, proxies: readonly string[]): string {
  const direct = plainAddress(socket.remoteAddress ?? '');
  if (proxies.length === 0 || !proxies.includes(direct)) return direct;
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  const chain = forwarded.map((address) => plainAddress(address.trim())).reverse();
  const peer = chain.find((address) => !proxies.includes(address));
  return peer !== undefined && isIP(peer) !== 0 ? peer : direct;
}

/** Whether the request was made on this machine. A proxy adds a forwarding header, which rules it out. */
export function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const passedOn = headers['x-forwarded-for'] ?? headers.forwarded ?? headers['x-real-ip'];
  return passedOn === undefined && isLoopback(plainAddress(socket.remoteAddress ?? ''));
}

function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
