import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../clock.ts';
import { isPassing, readFailure, S3Failure, unavailable } from './s3-failure.ts';
import { createSigner, encodeQuery, encodeS3, type S3Keys } from './signature.ts';

/** A bucket, and how it is reached. */
export interface S3Bucket {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  /** `path`: `ENDPOINT/BUCKET/KEY`. `host`: `BUCKET.ENDPOINT/KEY`. */
  readonly addressing: 'path' | 'host';
  readonly keys: S3Keys;
}

/** Milliseconds. */
export interface S3Timing {
  /** Until the headers of an answer, beside the time for the body of the request. */
  readonly answerMs: number;
  /** Between two pieces of a body that is read. */
  readonly stallMs: number;
  /** Requests are repeated within this time. */
  readonly patienceMs: number;
  /** First pause before a request is repeated; each further one is twice as long. */
  readonly pauseMs: number;
}

const S3_TIMING: S3Timing = { answerMs: 20_000, stallMs: 30_000, patienceMs: 20_000, pauseMs: 100 };

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD';
  /** Undefined for a request to the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
  /** `false`: a failure is final. */
  readonly isRepeated?: boolean;
}

export interface S3Client {
  readonly place: string;
  readonly bucket: string;
  readonly timing: S3Timing;
  /** Resolves to an answer with status 2xx, its body unread. Rejects with an `S3Failure` or an error of the network. */
  send(request: S3Request): Promise<Response>;
}

const NO_BODY = new Uint8Array(0);
const LONGEST_PAUSE_MS = 5_000;
const MOST_TRIES = 8;
/** Bytes in a second that a connection must take at least. */
const SLOWEST = 100_000;

export function createS3Client(bucket: S3Bucket, timing: S3Timing = S3_TIMING): S3Client {
  const sign = createSigner(bucket.keys, bucket.region);
  let skewMs = 0;
  const attempt = async (request: S3Request): Promise<Response> => {
    const { method, headers = {}, body = NO_BODY } = request;
    const url = urlOf(bucket, request);
    const signed = sign({ method, url, headers, body }, systemClock.date() + skewMs);
    const response = await fetchWithin(
      timing.answerMs + (body.length / SLOWEST) * 1000,
      request.signal,
      (signal) =>
        fetch(url, {
          method,
          // Not signed, because proxies change it. Without it, fetch would ask for compressed bodies.
          headers: { ...signed, 'accept-encoding': 'identity' },
          ...(body.length === 0 ? {} : { body }),
          redirect: 'manual',
          signal,
        }),
    );
    if (response.ok) return response;
    throw await readFailure(response);
  };
  const send = async (request: S3Request): Promise<Response> => {
    const began = performance.now();
    let isSkewKnown = false;
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(request);
      } catch (error) {
        if (error instanceof S3Failure && error.reason === 'RequestTimeTooSkewed' && !isSkewKnown) {
          isSkewKnown = true;
          const now = systemClock.date();
          skewMs = (error.serverTime ?? now) - now;
          continue;
        }
        const pause = Math.min(LONGEST_PAUSE_MS, timing.pauseMs * 2 ** tries) * (0.5 + Math.random() / 2);
        const isLate = performance.now() + pause - began > timing.patienceMs || tries >= MOST_TRIES;
        if (request.isRepeated === false || isLate || !isPassing(error) || request.signal?.aborted === true)
          throw error;
        await sleep(pause);
      }
    }
  };
  return { place: placeOf(bucket), bucket: bucket.bucket, timing, send };
}

/** Endpoint and bucket, for messages. */
function placeOf({ endpoint, bucket }: S3Bucket): string {
  return `${endpoint}/${bucket}`;
}

function urlOf({ endpoint, bucket, addressing }: S3Bucket, { key, query = {} }: S3Request): URL {
  const base = new URL(endpoint);
  const segments = key?.split('/').map(encodeS3) ?? [];
  if (addressing === 'host') base.hostname = `${bucket}.${base.hostname}`;
  else segments.unshift(encodeS3(bucket));
  const path = `${base.pathname.replace(/\/+$/, '')}/${segments.join('/')}`;
  const search = encodeQuery(query);
  return new URL(`${base.origin}${path}${search === '' ? '' : `?${search}`}`);
}

/** Aborts `start` when it has no answer within `ms`. The body of the answer is not limited. */
async function fetchWithin(
  ms: number,
  outer: AbortSignal | undefined,
  start: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new Error(`no answer came within ${Math.ceil(ms / 1000)} s`)),
    ms,
  );
  try {
    return await start(outer === undefined ? limit.signal : AbortSignal.any([outer, limit.signal]));
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `work`; turns its failure into the error for the operator. */
export async function explainFailure<T>(client: S3Client, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unavailable(client, error);
  }
}
