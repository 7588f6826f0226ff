import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

/** An HTTP request that got no whole answer. Its message never holds the URL, which contains the token. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** Whether the connection stood: `false` proves that no byte of the request was sent. */
  readonly connected: boolean;

  constructor(message: string, connected: boolean) {
    super(message);
    this.connected = connected;
  }
}

/** An answer without JSON, as from a proxy. */
export class ForeignAnswer extends NetworkError {
  readonly status: number;
  /** `Retry-After` in seconds. */
  readonly retryAfterSecs: number | undefined;

  constructor(status: number, retryAfter: string | undefined) {
    super(`The Bot API answered ${status} without JSON.`, true);
    this.status = status;
    this.retryAfterSecs = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  }
}

interface FetchOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | ReadableStream;
  readonly signal?: Pick<AbortSignal, 'aborted' | 'addEventListener' | 'removeEventListener'>;
}

interface FetchReply {
  json(): Promise<unknown>;
}

/**
 * Replaces `fetch` in grammY. Each request has its own connection: a keep-alive connection that the peer closes gives the
 * same `ECONNRESET` as a connection that is cut after the message. A `NetworkError` tells whether the connection stood;
 * node-fetch does not.
 */
export function fetchOnce(to: string | URL, options: FetchOptions = {}): Promise<FetchReply> {
  const url = new URL(to);
  const { method = 'GET', headers = {}, body, signal } = options;
  return new Promise((resolve, reject) => {
    let connected = false;
    const isSecure = url.protocol === 'https:';
    const request = (isSecure ? requestHttps : requestHttp)(url, {
      method,
      agent: false,
      headers: { ...headers, connection: 'close' },
    });
    const abort = (): void => void request.destroy(new Error('The request was aborted.'));
    const finish = (): void => signal?.removeEventListener('abort', abort);
    const fail = (error: NodeJS.ErrnoException): void => {
      finish();
      const reason = error.code ?? (signal?.aborted === true ? 'aborted' : 'connection lost');
      reject(new NetworkError(`No answer from the Bot API: ${reason}.`, connected));
      request.destroy();
    };
    signal?.addEventListener('abort', abort);
    // Node writes the request after `connect`, and after `secureConnect` with TLS.
    request.on('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        connected = true;
      }),
    );
    request.on('error', fail);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('error', fail);
      response.on('end', () => {
        finish();
        resolve({ json: async () => parseReply(Buffer.concat(chunks), response) });
      });
    });
    if (body === undefined || typeof body === 'string') request.end(body);
    else Readable.fromWeb(body).on('error', fail).pipe(request);
    if (signal?.aborted === true) abort();
  });
}

function parseReply(bytes: Buffer, { statusCode = 0, headers }: IncomingMessage): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ForeignAnswer(statusCode, headers['retry-after']);
  }
}
