import type { LookupAddress } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Target } from './target.ts';

const HEADERS: Readonly<Record<string, string>> = {
  accept: 'text/html, text/markdown;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'nuum',
};

/** Sends one GET over a connection of its own, to one of the checked addresses and no other. */
export function send({ url, addresses }: Target, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request(url, {
      agent: false,
      headers: HEADERS,
      lookup: pinned(addresses),
      maxHeaderSize: 64 * 1024,
      signal,
    });
    sent.once('response', resolve);
    // Stays for the whole life of the request: an error after the answer belongs to the reader of the body.
    sent.on('error', reject);
    sent.end();
  });
}

/** Answers from what was checked: a name that leads elsewhere a moment later does not get another chance. */
function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
