import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { reasonOf } from '@plugboard/protocol';
import { SendError } from '../channel.ts';
import { isBeforeConnection } from '../network-error.ts';

/** An answer with its body of up to 32 MiB. */
export interface Exchanged {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface ExchangeOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** Connections that are kept; undefined opens one for this request. */
  readonly agent: Connections | undefined;
}

/** Keep-alive agents, for requests that may be repeated. */
export interface Connections {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

export function createConnections(): Connections {
  return { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
}

export function closeConnections({ http, https }: Connections): void {
  http.destroy();
  https.destroy();
}

const MOST_BODY = 32 * 1024 * 1024;

/** Sends one request and reads the answer. Rejects with a `SendError`, whose message and cause have no header. */
export function exchange(to: string, options: ExchangeOptions): Promise<Exchanged> {
  const { method, headers, body, signal, agent } = options;
  const url = new URL(to);
  const isTls = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => reject(sendErrorOf(error));
    const request = (isTls ? requestHttps : requestHttp)(url, {
      ...{ method, headers, signal },
      agent: agent === undefined ? false : isTls ? agent.https : agent.http,
    });
    request.on('error', fail);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > MOST_BODY) response.destroy(new Error('The answer is too long.'));
        else chunks.push(chunk);
      });
      response.on('error', fail);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: headersOf(response.headers),
          body: Buffer.concat(chunks),
        }),
      );
    });
    request.end(body);
  });
}

function headersOf(given: NodeJS.Dict<string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  return headers;
}

function sendErrorOf(error: unknown): SendError {
  const isNotSent = isBeforeConnection(error);
  return new SendError(isNotSent ? 'later' : 'unknown', `No answer from Discord: ${reasonOf(error)}`);
}
