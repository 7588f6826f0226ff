import type { IncomingMessage } from 'node:http';
import { bearerOf, cookieOf } from './auth.ts';
import { Problem } from './problem.ts';
import { type Route, scopeOf } from './route.ts';

export interface GuardPolicy {
  /** Accepted names in `Host`, in lower case, without a port. */
  readonly names: ReadonlySet<string>;
  /** Origins of `publicUrl`, which browsers see behind a reverse proxy. */
  readonly origins: ReadonlySet<string>;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const OWN_SITE = new Set(['same-origin', 'none']);

/** Makes the policy from `server.names` and `server.publicUrl`. */
export function policyFor(names: readonly string[], publicUrl: string | undefined): GuardPolicy {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  const own = url === undefined ? [] : [url.hostname];
  return {
    names: new Set([...LOOPBACK, ...names, ...own]),
    origins: new Set(url === undefined ? [] : [url.origin]),
  };
}

/**
 * Refuses requests that a foreign web page could make a browser send: DNS rebinding, a foreign `Origin`, a form. Throws
 * a `Problem`.
 */
export function guardRequest(incoming: IncomingMessage, route: Route | undefined, policy: GuardPolicy): void {
  const { headers, method = 'GET' } = incoming;
  guardHost(incoming, policy);
  if (headers.origin !== undefined && !isOwn(headers.origin, headers.host ?? '', policy)) {
    throw new Problem('forbidden', 'Requests from other origins are not answered.');
  }
  const hasBearer = bearerOf(headers.authorization) !== undefined;
  if (!hasBearer) guardSite(incoming, route);
  if (!CHANGING.has(method)) return;
  if (!hasBearer) guardCookie(incoming);
  guardContent(incoming, route);
}

/** Checks `Host` without its port: a tunnel or container changes the port, and the port proves no origin. */
function guardHost({ headers, rawHeaders, socket }: IncomingMessage, { names }: GuardPolicy): void {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(headers.host ?? '');
  const name = (match?.[1] ?? '').toLowerCase();
  // `localAddress` is safe as a name: DNS rebinding needs a name that resolves, not an IP address.
  const known = names.has(name) || (name !== '' && name === hostOf(socket.localAddress));
  if (!known || hostLines(rawHeaders) !== 1) {
    throw new Problem('wrong-host', 'This gateway does not answer under that name. Add it to server.names.');
  }
}

/** An IP address as written in `Host` and in URLs: IPv6 in brackets. */
export function hostOf(address = ''): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return plain.includes(':') ? `[${plain}]` : plain;
}

/** Number of `Host` lines. Node uses the first of several, a proxy may use the last: more than 1 is refused. */
function hostLines(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/**
 * Refuses cross-site requests by `Sec-Fetch-Site`. `guardRequest` skips this for bearer tokens, which a foreign page
 * cannot send. Links to public pages are allowed.
 */
function guardSite({ headers, method }: IncomingMessage, route: Route | undefined): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || OWN_SITE.has(String(site))) return;
  const opened = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (opened && method === 'GET' && route !== undefined && scopeOf(route) === 'public') return;
  throw new Problem('forbidden', 'Requests from other sites are not answered.');
}

/** CSRF: a browser attaches the cookie to any request, but then it also sends `Origin` or `Sec-Fetch-Site`. */
function guardCookie({ headers }: IncomingMessage): void {
  if (headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin') return;
  if (cookieOf(headers.cookie) === undefined) return;
  throw new Problem('forbidden', 'A change by cookie has to say its origin. Programs send a token instead.');
}

/** A form can send neither `application/json` nor the types that `bytes` routes without `takesForms` accept. */
function guardContent({ headers }: IncomingMessage, route: Route | undefined): void {
  const type = typeOf(headers['content-type']);
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity') throw new Problem('content-type', 'Send the body as it is, not compressed.');
  if (route?.body === 'bytes') {
    const isForm = type === undefined || /^(multipart\/|application\/x-www-form-urlencoded)/.test(type);
    if (isForm && route.takesForms !== true) {
      throw new Problem('content-type', 'Send the bytes of the file themselves, with its own content type.');
    }
    return;
  }
  if (hasBody(headers) && type !== 'application/json') {
    throw new Problem('content-type', 'Send JSON, with the content type application/json.');
  }
}

/** The media type without parameters like `charset`. */
function typeOf(header: string | undefined): string | undefined {
  return header === 'application/json' ? header : header?.split(';', 1)[0]?.trim().toLowerCase();
}

function hasBody(headers: IncomingMessage['headers']): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Whether `origin` is the page of this gateway: the same name and port as `Host`, or `publicUrl`. */
function isOwn(origin: string, host: string, { origins }: GuardPolicy): boolean {
  const name = host.toLowerCase();
  return origins.has(origin) || origin === `http://${name}` || origin === `https://${name}`;
}
