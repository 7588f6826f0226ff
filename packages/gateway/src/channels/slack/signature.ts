import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HookRequest } from '../channel.ts';

/** Allowed difference of the timestamp, against replay. */
const TOLERANCE_SECS = 5 * 60;

/** Reason for 401; undefined when the HMAC of `body` fits. */
export function slackSignatureProblem(
  secret: string,
  { headers, body }: Pick<HookRequest, 'headers' | 'body'>,
  nowSecs: number,
): string | undefined {
  const [timestamp, signature] = [headers['x-slack-request-timestamp'], headers['x-slack-signature']];
  if (typeof timestamp !== 'string' || typeof signature !== 'string')
    return 'The headers X-Slack-Request-Timestamp and X-Slack-Signature are needed.';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Number(timestamp) - nowSecs) > TOLERANCE_SECS)
    return 'The timestamp is more than five minutes from the time here.';
  const wanted = Buffer.from(
    `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`,
  );
  const given = Buffer.from(signature);
  const fits = given.length === wanted.length && timingSafeEqual(given, wanted);
  return fits ? undefined : 'The signature does not fit.';
}
