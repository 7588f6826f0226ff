import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './route.ts';

/** A rest of a request that is worth reading for the sake of the connection. */
const SMALL_REST = 64 * 1024;

/** Time for a client to see the answer before it finds the connection gone. */
const LINGER_MS = 1_000;

/** Writes a whole answer. */
export function respond(outgoing: ServerResponse, reply: Exclude<Reply, 'taken'>): void {
  const body = begin(outgoing, reply);
  outgoing.end(body);
}

/**
 * Writes the answer to a request that was not read to its end. What is still to come could be endless, and must not be
 * taken for the next request: unless it is little, the connection ends here, a moment after the answer.
 */
export function respondEarly(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  reply: Exclude<Reply, 'taken'>,
): void {
  if (isNearlyRead(incoming)) return respond(outgoing, reply);
  outgoing.setHeader('connection', 'close');
  const body = begin(outgoing, reply);
  outgoing.write(body);
  const timer = setTimeout(() => outgoing.end(), LINGER_MS);
  const discard = (): void => {
    while (incoming.read() !== null);
  };
  incoming.on('readable', discard);
  incoming.once('close', () => {
    clearTimeout(timer);
    outgoing.end();
  });
}

function isNearlyRead({ complete, headers }: IncomingMessage): boolean {
  const chunked = headers['transfer-encoding'] !== undefined;
  return complete || (!chunked && Number(headers['content-length'] ?? 0) <= SMALL_REST);
}

/** Writes the headers; gives the body. */
function begin(outgoing: ServerResponse, reply: Exclude<Reply, 'taken'>): string {
  const { status, headers } = reply;
  for (const name in headers) outgoing.setHeader(name, headers[name] ?? '');
  const json = 'json' in reply ? reply.json : undefined;
  if (json !== undefined) {
    outgoing.setHeader('content-type', 'application/json');
    outgoing.setHeader('cache-control', 'no-store');
  }
  // A string: Node writes it together with the headers, where bytes would be a second piece.
  const body = 'text' in reply ? reply.text : json === undefined ? '' : JSON.stringify(json);
  // An answer without content must not say how long it is.
  if (status !== 204 && status !== 304) outgoing.setHeader('content-length', Buffer.byteLength(body));
  outgoing.writeHead(status);
  return body;
}
