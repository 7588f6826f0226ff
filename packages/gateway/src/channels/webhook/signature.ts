import { createHmac, timingSafeEqual } from 'node:crypto';

/** The scheme of Standard Webhooks: `v1,` and the base64 of an HMAC-SHA256 over `id.timestamp.body`. */

/** A timestamp may differ by this from our clock, so that a recorded request is worthless later. */
const TOLERANCE_SECS = 5 * 60;

const PREFIX = 'whsec_';

const SHORTEST_KEY = 16;

/** Headers of a signed request. */
export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** Why a secret cannot be used; undefined when it can. */
export function secretProblem(secret: string): string | undefined {
  const length = keyOf(secret).length;
  return length < SHORTEST_KEY
    ? `The secret has ${length} bytes; make one of at least ${SHORTEST_KEY}: echo whsec_$(openssl rand -base64 24)`
    : undefined;
}

function keyOf(secret: string): Buffer {
  return secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');
}

export function signWebhook(
  secret: string,
  id: string,
  atSecs: number,
  body: Uint8Array | string,
): SignedHeaders {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(atSecs),
    'webhook-signature': `v1,${signatureOf(secret, id, String(atSecs), body)}`,
  };
}

function signatureOf(secret: string, id: string, timestamp: string, body: Uint8Array | string): string {
  return createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64');
}

/** Why a request is not accepted; undefined when its signature is good. Of several signatures, one must fit. */
export function webhookProblem(
  secret: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  nowSecs: number,
  body: Uint8Array,
): string | undefined {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    (name) => headers[`webhook-${name}`],
  );
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string')
    return 'The headers webhook-id, webhook-timestamp and webhook-signature are needed.';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Number(timestamp) - nowSecs) > TOLERANCE_SECS)
    return 'The timestamp is more than five minutes from the time here.';
  const wanted = Buffer.from(signatureOf(secret, id, timestamp, body));
  const fits = signatures.split(' ').some((one) => {
    const given = Buffer.from(one.startsWith('v1,') ? one.slice('v1,'.length) : '');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  return fits ? undefined : 'The signature does not fit.';
}
