import type { LookupAddress } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Target } from './request-target.ts';

const HEADERS: Readonly<Record<string, string>> = {
  accept: 'text/html, text/markdown;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'nuum',
};

/** Sends a GET on a new connection, which goes to one of the checked addresses alone. */
export function sendRequest({ url, addresses }: Target, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request(url, {
      agent: false,
      headers: HEADERS,
      lookup: lookupPinned(addresses),
      maxHeaderSize: 64 * 1024,
      signal,
    });
    sent.once('response', resolve);
    // `on`, since errors after the response are emitted, too; `readBody` reports those.
    sent.on('error', reject);
    sent.end();
  });
}

/** A `lookup` that returns the checked addresses: a second DNS query could return others (DNS rebinding). */
function lookupPinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
