import type { IncomingMessage } from 'node:http';
import { bearerOf, cookieOf } from './auth.ts';
import { Problem } from './problem.ts';
import type { Route } from './route.ts';

export interface GuardPolicy {
  /** Names under which the gateway is known, in lower case, without a port. */
  readonly names: ReadonlySet<string>;
  /** Origins that a reverse proxy shows to browsers. */
  readonly origins: ReadonlySet<string>;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const OWN_SITE = new Set(['same-origin', 'none']);

/** The names a gateway answers to. */
export function policyFor(names: readonly string[], publicUrl: string | undefined): GuardPolicy {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  const own = url === undefined ? [] : [url.hostname];
  return {
    names: new Set([...LOOPBACK, ...names, ...own]),
    origins: new Set(url === undefined ? [] : [url.origin]),
  };
}

/**
 * Turns away what a page of somebody else could make a browser send: a name that was made to point here, a foreign
 * origin, a form. Throws a Problem.
 */
export function guard(incoming: IncomingMessage, route: Route | undefined, policy: GuardPolicy): void {
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

/** The port is left open: whoever comes through a tunnel or a container comes with another one, and it proves nothing. */
function guardHost({ headers, rawHeaders, socket }: IncomingMessage, { names }: GuardPolicy): void {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(headers.host ?? '');
  const name = (match?.[1] ?? '').toLowerCase();
  // An address cannot be made to point elsewhere: the one that was really connected to is a good name.
  const known = names.has(name) || (name !== '' && name === hostOf(socket.localAddress));
  if (!known || hostLines(rawHeaders) !== 1) {
    throw new Problem('wrong-host', 'This gateway does not answer under that name. Add it to server.names.');
  }
}

/** An address as it stands in Host and in URLs. */
export function hostOf(address = ''): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return plain.includes(':') ? `[${plain}]` : plain;
}

/** Node takes the first of several, another reader may take the last. */
function hostLines(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** A token of its own is nothing that another page could have put there. Links to public pages may stand anywhere. */
function guardSite({ headers, method }: IncomingMessage, route: Route | undefined): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || OWN_SITE.has(String(site))) return;
  const opened = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (opened && method === 'GET' && route?.access === 'public') return;
  throw new Problem('forbidden', 'Requests from other sites are not answered.');
}

/** A browser sends its cookie by itself, but then it also says where from. */
function guardCookie({ headers }: IncomingMessage): void {
  if (headers.origin !== undefined || headers['sec-fetch-site'] === 'same-origin') return;
  if (cookieOf(headers.cookie) === undefined) return;
  throw new Problem('forbidden', 'A change by cookie has to say its origin. Programs send a token instead.');
}

/** JSON alone cannot be sent by a form; files have a route of their own, and are not sent as a form either. */
function guardContent({ headers }: IncomingMessage, route: Route | undefined): void {
  const type = typeOf(headers['content-type']);
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity') throw new Problem('content-type', 'Send the body as it is, not compressed.');
  if (route?.body === 'bytes') {
    if (type === undefined || /^(multipart\/|application\/x-www-form-urlencoded)/.test(type)) {
      throw new Problem('content-type', 'Send the bytes of the file themselves, with its own content type.');
    }
    return;
  }
  if (hasBody(headers) && type !== 'application/json') {
    throw new Problem('content-type', 'Send JSON, with the content type application/json.');
  }
}

/** Without its parameters. */
function typeOf(header: string | undefined): string | undefined {
  return header === 'application/json' ? header : header?.split(';', 1)[0]?.trim().toLowerCase();
}

function hasBody(headers: IncomingMessage['headers']): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** The page that we serve ourselves: same name and port as the request. */
function isOwn(origin: string, host: string, { origins }: GuardPolicy): boolean {
  const name = host.toLowerCase();
  return origins.has(origin) || origin === `http://${name}` || origin === `https://${name}`;
}
