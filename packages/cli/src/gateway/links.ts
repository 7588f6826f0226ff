import type { networkInterfaces } from 'node:os';
import type { ServerConfig } from '@plugboard/gateway';

/** The networks that this machine is in, as the system tells them. */
export type Interfaces = ReturnType<typeof networkInterfaces>;

/** Links that log a browser in, each once. */
export interface LoginLinks {
  /** For a browser on this machine. */
  readonly here: string;
  /** For one on another machine, by each address of this one. */
  readonly network: readonly string[];
  /** The gateway listens on all addresses, and nothing says by which people know it. */
  readonly everywhere: boolean;
}

/** What everybody should know who opens the gateway to other machines without a proxy. */
export const PLAIN_HTTP: string =
  'This is plain HTTP: only in a network you trust. Elsewhere put a tunnel or a proxy in front, with server.public_url: https://…';

const ALL_ADDRESSES: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Whether a gateway answers at every address of this machine, and nothing says by which people know it. */
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

/** The address that logs a browser in with a code. The fragment never leaves the browser. */
export function loginLink(url: string, code: string): string {
  return `${url}/#code=${code}`;
}
