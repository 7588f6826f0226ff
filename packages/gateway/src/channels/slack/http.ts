import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FetchFunction } from '@slack/web-api';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
  readonly signal: AbortSignal;
}

/**
 * Opens a request on a new connection: a kept-alive connection that Slack closes gives ECONNRESET, like a connection that is
 * cut after the message. Redirects are not followed. The body of the `IncomingMessage` is unread.
 */
export function openRequest(
  to: string,
  { method, headers, body, signal }: HttpRequest,
): Promise<IncomingMessage> {
  const url = new URL(to);
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(
      url,
      { method, agent: false, headers, signal },
      resolve,
    );
    request.on('error', reject);
    if (typeof body === 'object') pipeline(body, request).catch(reject);
    else request.end(body);
  });
}

/** The largest answer of the Web API that is read. */
const MOST_ANSWER = 16 * 1024 * 1024;

export async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > MOST_ANSWER) throw new Error('The answer is too large.');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

/** Wait after a 429 without Retry-After. */
const DEFAULT_WAIT_SECS = '5';

/** The `fetch` of one call of the Slack libraries, which cannot be given an abort signal otherwise. */
export function createFetch(signal: AbortSignal): FetchFunction {
  return async (to, { headers = {}, body } = {}) => {
    if (typeof body === 'object') throw new Error('Forms with files are not sent.');
    const response = await openRequest(String(to), {
      method: 'POST',
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
      ...(body === undefined ? {} : { body }),
      signal,
    });
    const text = await readBody(response);
    const { statusCode: status = 0, statusMessage: statusText = '' } = response;
    const fields = new Map(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
    // Without this header `WebClient` throws a plain `Error` instead of a `WebAPIRateLimitedError`.
    if (status === 429 && !/^\d+$/.test(fields.get('retry-after') ?? ''))
      fields.set('retry-after', DEFAULT_WAIT_SECS);
    return {
      ...{ status, statusText, ok: status >= 200 && status < 300, url: '' },
      headers: { get: (name) => fields.get(name.toLowerCase()) ?? null, entries: () => fields.entries() },
      text: async () => text,
      json: async () => JSON.parse(text) as unknown,
      arrayBuffer: async () => new TextEncoder().encode(text).buffer as ArrayBuffer,
    };
  };
}
