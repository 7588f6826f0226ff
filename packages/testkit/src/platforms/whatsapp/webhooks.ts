import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request to the webhook of an app. */
export interface WebhookRequest {
  readonly method: 'GET' | 'POST';
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Answers a request, as the server of the app would. */
export type WebhookTarget = (
  request: WebhookRequest,
) => Promise<{ readonly status: number; readonly body?: string }>;

/** Delivers webhooks in order, each until it is answered with 2xx. */
export interface Webhooks {
  /** Where webhooks go; those before it wait. */
  connect(target: WebhookTarget): void;
  /** Settles when the webhook was acknowledged, or when the platform has stopped. */
  deliver(payload: object): Promise<void>;
  /** Posts `body` once and unchanged, with `signature` as its header; no header when undefined. */
  post(body: Uint8Array, signature: string | undefined): Promise<{ readonly status: number }>;
  sign(body: Uint8Array): string;
  stop(): void;
}

/** Delay before the first repetition; it doubles up to `LONGEST_RETRY_MS`. Real delays are minutes and hours. */
const RETRY_MS = 10;
const LONGEST_RETRY_MS = 200;

export function createWebhooks(appSecret: string): Webhooks {
  const end = new AbortController();
  const connected = Promise.withResolvers<WebhookTarget>();
  let target = connected.promise;
  let last: Promise<void> = Promise.resolve();
  const sign = (body: Uint8Array): string =>
    `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
  const post = async (
    body: Uint8Array,
    signature: string | undefined,
  ): Promise<{ readonly status: number }> => {
    const headers = {
      'content-type': 'application/json',
      ...(signature === undefined ? {} : { 'x-hub-signature-256': signature }),
    };
    return (await target)({ method: 'POST', query: new URLSearchParams(), headers, body });
  };
  const repeat = async (payload: object): Promise<void> => {
    const body = Buffer.from(escapeNonAscii(JSON.stringify(payload)));
    for (let delay = RETRY_MS; !end.signal.aborted; delay = Math.min(delay * 2, LONGEST_RETRY_MS)) {
      const { status } = await post(body, sign(body)).catch(() => ({ status: 0 }));
      if (status >= 200 && status < 300) return;
      await sleep(delay, undefined, { signal: end.signal }).catch(() => {});
    }
  };
  return {
    connect(next) {
      target = Promise.resolve(next);
      connected.resolve(next);
    },
    deliver(payload) {
      last = last.then(() => repeat(payload));
      return last;
    },
    post,
    sign,
    stop: () => end.abort(),
  };
}

/** The platform escapes everything but ASCII, and slashes: the signature is over those bytes. */
function escapeNonAscii(json: string): string {
  return json
    .replaceAll('/', '\\/')
    .replaceAll(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
