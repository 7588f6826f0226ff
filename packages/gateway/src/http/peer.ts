import type { IncomingMessage } from 'node:http';

/** The address a request comes from. What a header says of it counts only when a proxy of the operator's says it. */
export function peerOf({ socket, headers }: IncomingMessage, proxies: readonly string[]): string {
  const direct = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  if (!proxies.includes(direct)) return direct;
  const forwarded = headers['x-forwarded-for'];
  const last = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').at(-1)?.trim();
  return last === undefined || last === '' ? direct : last;
}
