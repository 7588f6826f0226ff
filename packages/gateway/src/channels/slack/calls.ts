import { createReadStream } from 'node:fs';
import { type Logger as LibraryLogger, LogLevel, type WebAPICallResult, WebClient } from '@slack/web-api';
import type { Clock } from '../../clock.ts';
import { createFetch, openRequest, readBody } from './http.ts';
import { problemOf, SlackCallError } from './problems.ts';

/** Discards the log of the libraries, which holds WebSocket URLs with tickets. */
export const libraryLogger: LibraryLogger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};

/** Options of the libraries for one attempt a call, with `signal` to end it. */
export function clientOptions(api: string, signal: AbortSignal) {
  return {
    slackApiUrl: api,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logger: libraryLogger,
    fetch: createFetch(signal),
  };
}

export type SlackAnswer = WebAPICallResult & Readonly<Record<string, unknown>>;

/** Calls to the Web API with one token. Each is exactly one attempt, and rejects with a `SlackCallError`. */
export interface SlackCalls {
  call(method: string, fields: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<SlackAnswer>;
  /** Posts a file to the `upload_url` of `files.getUploadURLExternal`. */
  upload(
    address: string,
    file: { readonly path: string; readonly size: number },
    signal: AbortSignal,
  ): Promise<void>;
  /** Aborts running calls; later calls are refused with `later`. */
  stop(): void;
}

/** Timeout of a call without `signal`. Below `PREVIEW_MS`: a late edit of a preview must not land after the answer. */
const CALL_MS = 9_000;

const STOPPED = 'The channel is stopped.';

export interface CallsOptions {
  readonly api: string;
  readonly token: string;
  readonly clock: Clock;
}

export function createCalls({ api, token, clock }: CallsOptions): SlackCalls {
  const running = new Set<AbortController>();
  let stopped = false;
  const attempt = async <T>(
    method: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    if (stopped || signal?.aborted === true) throw new SlackCallError('later', STOPPED, {});
    const control = new AbortController();
    const abort = (): void => control.abort();
    running.add(control);
    signal?.addEventListener('abort', abort);
    const cancel = signal === undefined ? clock.after(CALL_MS, abort) : undefined;
    try {
      return await work(control.signal);
    } catch (error) {
      throw problemOf(error, method);
    } finally {
      cancel?.();
      signal?.removeEventListener('abort', abort);
      running.delete(control);
    }
  };
  return {
    call: (method, fields, signal) =>
      attempt(method, signal, async (ended) => {
        const client = new WebClient(token, clientOptions(api, ended));
        return (await client.apiCall(method, { ...fields })) as SlackAnswer;
      }),
    upload: (address, { path, size }, signal) =>
      attempt('the upload', signal, async (ended) => {
        const response = await openRequest(address, {
          method: 'POST',
          headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
          body: createReadStream(path),
          signal: ended,
        });
        await readBody(response);
        if (response.statusCode !== 200)
          throw new SlackCallError('unknown', `Slack answered ${response.statusCode} to an upload.`, {});
      }),
    stop() {
      stopped = true;
      for (const control of running) control.abort();
    },
  };
}
