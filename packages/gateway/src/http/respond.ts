import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './route.ts';

/** An unread body of at most this size is read, which keeps the connection open for the next request. */
const SMALL_REST = 64 * 1024;

/** Timeout of that read: a slow body must not hold the connection longer. */
const REST_MS = 2_000;

/** Delay between the answer and the close: without it the client may see a reset instead of the answer. */
const LINGER_MS = 1_000;

/** Sends a response. */
export function respond(outgoing: ServerResponse, reply: Exclude<Reply, 'taken'>): void {
  const body = beginReply(outgoing, reply);
  outgoing.end(body);
}

/**
 * Answers a request whose body was not read to its end. The rest may be endless, and must not be parsed as the next
 * request: above `SMALL_REST` the connection closes `LINGER_MS` after the answer.
 */
export function respondEarly(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  reply: Exclude<Reply, 'taken'>,
): void {
  if (isNearlyRead(incoming)) {
    endIfRestDrips(incoming);
    return respond(outgoing, reply);
  }
  outgoing.setHeader('connection', 'close');
  const body = beginReply(outgoing, reply);
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

/** Closes the connection when the rest of the body does not arrive within `REST_MS`. */
export function endIfRestDrips(incoming: IncomingMessage): void {
  const { complete, headers } = incoming;
  const hasBody = headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
  if (complete || !hasBody) return;
  const timer = setTimeout(() => {
    // If `complete`, the connection may already serve its next request.
    if (!incoming.complete) incoming.socket.destroy();
  }, REST_MS).unref();
  incoming.once('close', () => clearTimeout(timer));
}

function isNearlyRead({ complete, headers }: IncomingMessage): boolean {
  const chunked = headers['transfer-encoding'] !== undefined;
  return complete || (!chunked && Number(headers['content-length'] ?? 0) <= SMALL_REST);
}

/** Writes the headers; returns the body. */
function beginReply(outgoing: ServerResponse, reply: Exclude<Reply, 'taken'>): string {
  const { status, headers } = reply;
  for (const name in headers) outgoing.setHeader(name, headers[name] ?? '');
  const json = 'json' in reply ? reply.json : undefined;
  if (json !== undefined) {
    outgoing.setHeader('content-type', 'application/json');
    outgoing.setHeader('cache-control', 'no-store');
  }
  // Node sends a string body and the headers in one write; a `Buffer` takes two.
  const body = 'text' in reply ? reply.text : json === undefined ? '' : JSON.stringify(json);
  // 204 and 304 must not have `content-length`.
  if (status !== 204 && status !== 304) outgoing.setHeader('content-length', Buffer.byteLength(body));
  outgoing.writeHead(status);
  return body;
}
