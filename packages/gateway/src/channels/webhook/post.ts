import { type LookupAddress, lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { SendError } from '../channel.ts';
import { isBeforeConnection } from '../network-error.ts';

/** The answer to a post; `body` is cut at `MOST_BODY`. */
export interface Posted {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs: number | undefined;
}

const MOST_BODY = 64 * 1024;

/** Code of the error for an address that is not public: nothing was sent. */
const PRIVATE_ADDRESS = 'PRIVATE_ADDRESS';

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv6');

function isPrivate(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return PRIVATE.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

function privateError(name: string): NodeJS.ErrnoException {
  const sentence = `${name} is an address of this machine or of a private network: say "private: true" if that is meant.`;
  return Object.assign(new Error(sentence), { code: PRIVATE_ADDRESS });
}

/** Refuses private addresses when they are connected to, so that DNS cannot change its answer after a check. */
const lookupPublic: LookupFunction = (name, options, done) => {
  lookup(name, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, '', 0);
    const addresses: LookupAddress[] = found;
    const [first] = addresses;
    if (first === undefined || addresses.some(({ address }) => isPrivate(address)))
      return done(privateError(name), '', 0);
    if (options.all === true) done(null, addresses as never, undefined as never);
    else done(null, first.address, first.family);
  });
};

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly mayBePrivate: boolean;
  readonly signal: AbortSignal;
}

/** Posts JSON on a connection of its own and follows no redirects. Rejects with a `SendError`. */
export function postJson(to: string, options: PostOptions): Promise<Posted> {
  const url = new URL(to);
  const { headers, body, mayBePrivate, signal } = options;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!mayBePrivate && isIP(host) !== 0 && isPrivate(host))
    return Promise.reject(new SendError('later', privateError(host).message));
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method: 'POST',
      // A kept connection that the peer closes gives the same error as one that is cut after the message.
      agent: false,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      signal,
      ...(mayBePrivate ? {} : { lookup: lookupPublic }),
    });
    const fail = (error: NodeJS.ErrnoException): void => reject(sendErrorOf(error));
    request.on('error', fail);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (text.length < MOST_BODY) text += chunk;
      });
      response.on('error', fail);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          body: text,
          retryAfterMs: retryAfterOf(response.headers['retry-after']),
        }),
      );
    });
    request.end(body);
  });
}

function retryAfterOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) * 1000 : undefined;
}

function sendErrorOf(error: NodeJS.ErrnoException): SendError {
  const isNotSent = error.code === PRIVATE_ADDRESS || isBeforeConnection(error);
  return new SendError(isNotSent ? 'later' : 'unknown', error.message, { cause: error });
}
