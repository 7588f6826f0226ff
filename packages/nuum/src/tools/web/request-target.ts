import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { closedKind } from './address.ts';

/** Resolves a host name to all of its addresses. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** The checked target of a request. */
export interface Target {
  readonly url: URL;
  /** The only addresses that the connection may use. */
  readonly addresses: readonly LookupAddress[];
}

export interface TargetOptions {
  readonly resolve: Resolve;
  /** Private hosts `host` or `host:port` that may be reached. */
  readonly allowHosts: readonly string[];
}

/** Parses a URL and resolves its host once. Throws a sentence for URLs that must not be fetched. */
export async function targetOf(text: string, options: TargetOptions): Promise<Target> {
  const url = parseUrl(text);
  const host = hostOf(url);
  const addresses = await addressesOf(host, options.resolve);
  if (isAllowed(url, options.allowHosts)) return { url, addresses };
  for (const { address } of addresses) {
    const kind = closedKind(address);
    if (kind === undefined) continue;
    const which = address === host ? host : `${host} (${address})`;
    throw new Error(
      `${which} is not on the public internet (${kind}); only the operator can open it to fetches.`,
    );
  }
  return { url, addresses };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new Error(`${JSON.stringify(text.slice(0, 200))} is no web address.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`${url.protocol} addresses cannot be fetched, only http: and https:.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('The address holds a user name or password; these are not sent. Leave them out.');
  }
  return url;
}

/** The host without the brackets of IPv6 and the final dot of a full name. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const found = await resolve(host).catch(() => []);
  if (found.length === 0) throw new Error(`The name ${host} cannot be resolved.`);
  return found;
}

function isAllowed(url: URL, allowHosts: readonly string[]): boolean {
  const host = hostOf(url);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return allowHosts.some((entry) => {
    const allowed = entry.toLowerCase();
    return allowed === host || allowed === `${host}:${port}` || allowed === `[${host}]:${port}`;
  });
}
