import { Problem } from './problem.ts';

/** What is looked at before anything else is done with a request. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly contentType: string | undefined;
  readonly hasBody: boolean;
  /** It carries a token of its own, which no other page could have put there. */
  readonly hasBearer: boolean;
}

export interface GuardPolicy {
  /** Names under which the gateway is known, in lower case, without a port. */
  readonly names: ReadonlySet<string>;
  readonly port: number;
  /** Origins that a reverse proxy shows to browsers. */
  readonly origins: ReadonlySet<string>;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** The names a gateway on this port answers to. */
export function policyFor(
  port: number,
  names: readonly string[],
  publicUrl: string | undefined,
): GuardPolicy {
  const origins = publicUrl === undefined ? [] : [new URL(publicUrl).origin];
  const hosts = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return { names: new Set([...LOOPBACK, ...names, ...hosts]), port, origins: new Set(origins) };
}

/**
 * Turns away what a page of somebody else could make a browser send: a name that was made to point here, a foreign
 * origin, a form. Throws a Problem.
 */
export function guard(arrival: Arrival, policy: GuardPolicy): void {
  const host = hostOf(arrival.host);
  if (host === undefined || !policy.names.has(host.name)) {
    throw new Problem('wrong-host', 'This gateway does not answer under that name. Add it to server.names.');
  }
  if (arrival.origin !== undefined && !isOwn(arrival.origin, arrival.host ?? '', policy)) {
    throw new Problem('forbidden', 'Requests from other origins are not answered.');
  }
  const fromPage = arrival.fetchSite !== undefined && !['same-origin', 'none'].includes(arrival.fetchSite);
  if (fromPage && !arrival.hasBearer) {
    throw new Problem('forbidden', 'Requests from other sites are not answered.');
  }
  if (CHANGING.has(arrival.method)) guardContent(arrival);
}

/** JSON alone cannot be sent by a form; files have a route of their own, and are not sent as a form either. */
function guardContent({ contentType, path, hasBody }: Arrival): void {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (path === '/api/media') {
    if (type === undefined || /^(multipart\/|application\/x-www-form-urlencoded)/.test(type)) {
      throw new Problem('content-type', 'Send the bytes of the file themselves, with its own content type.');
    }
    return;
  }
  if (hasBody && type !== 'application/json') {
    throw new Problem('content-type', 'Send JSON, with the content type application/json.');
  }
}

function hostOf(header: string | undefined): { name: string; port: string } | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/i.exec(header ?? '');
  return match === null ? undefined : { name: (match[1] ?? '').toLowerCase(), port: match[2] ?? '' };
}

/** The page that we serve ourselves: same name and port as the request. */
function isOwn(origin: string, host: string, { origins }: GuardPolicy): boolean {
  return origins.has(origin) || origin === `http://${host}` || origin === `https://${host}`;
}
