import type { networkInterfaces } from 'node:os';
import type { ServerConfig } from '@plugboard/gateway';

/** The networks that this machine is in, as the system tells them. */
export type Interfaces = ReturnType<typeof networkInterfaces>;

/** Links that log a browser in, each once. */
export interface LoginLinks {
  /** For a browser on this machine. */
  readonly here: string;
  /** Links for other machines, with each IPv4 address of this one. */
  readonly network: readonly string[];
  /** The gateway listens on all addresses, and `server.public_url` is not set. */
  readonly everywhere: boolean;
}

/** Warning for gateways that listen on all addresses without TLS. */
export const PLAIN_HTTP: string =
  'This is plain HTTP: only in a network you trust. Elsewhere put a tunnel or a proxy in front, with server.public_url: https://…';

const ALL_ADDRESSES: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Whether `host` is a wildcard address and `publicUrl` is not set. */
export function listensEverywhere({ host, publicUrl }: ServerConfig): boolean {
  return publicUrl === undefined && ALL_ADDRESSES.has(host);
}

/** Where other machines find a gateway that this one finds at `url`. */
export function networkUrls(url: string, interfaces: Interfaces): readonly string[] {
  const addresses = Object.values(interfaces).flatMap((each = []) =>
    each.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  );
  return [...new Set(addresses)].map((address) => {
    const other = new URL(url);
    other.hostname = address;
    return other.origin;
  });
}

/** The login URL with a one-time code, in the fragment: browsers do not send it to servers. */
export function loginLink(url: string, code: string): string {
  return `${url}/#code=${code}`;
}
