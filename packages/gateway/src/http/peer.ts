import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

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

function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
