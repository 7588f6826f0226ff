import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../config/loopback.ts';

/**
 * The address a request comes from. What a header says of it counts only when a proxy of the operator's says it: each
 * proxy adds at the end whom it heard, so the first address from there that is no such proxy is the one.
 */
export function peerOf({ socket, headers }: IncomingMessage, proxies: readonly string[]): string {
  const direct = plain(socket.remoteAddress ?? '');
  if (proxies.length === 0 || !proxies.includes(direct)) return direct;
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  const chain = forwarded.map((address) => plain(address.trim())).reverse();
  const peer = chain.find((address) => !proxies.includes(address));
  return peer !== undefined && isIP(peer) !== 0 ? peer : direct;
}

/** Whether a request was made on this machine and not passed on by a proxy, which says so in a header. */
export function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  const passedOn = headers['x-forwarded-for'] ?? headers.forwarded ?? headers['x-real-ip'];
  return passedOn === undefined && isLoopback(plain(socket.remoteAddress ?? ''));
}

function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
