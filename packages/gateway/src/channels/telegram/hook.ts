import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Update } from 'grammy/types';
import type { Secret } from '../../config/secret.ts';
import type { HookReply, HookRequest } from '../channel.ts';
import { type Intake, type IntakeOptions, logNotKept } from './intake.ts';
import { isUpdate } from './update.ts';

const HEADER = 'x-telegram-bot-api-secret-token';

/** `secret_token` of the webhook: an HMAC of the token, so that it needs no field of the configuration. */
export function hookSecret(token: Secret): string {
  return createHmac('sha256', token.reveal()).update('plugboard webhook').digest('base64url');
}

/**
 * Takes a post of Telegram. Telegram gives the next update of a chat only after this one was answered, so that the messages
 * of an album come one by one: each is taken for itself.
 */
export async function takeHook(
  { method, headers, body }: HookRequest,
  secret: string,
  intake: Intake,
  context: Pick<IntakeOptions, 'log' | 'name'>,
): Promise<HookReply> {
  if (method !== 'POST') return { status: 405, body: 'Telegram posts updates here.' };
  if (!isSecret(headers[HEADER], secret)) return { status: 401, body: 'The secret token is wrong.' };
  const update = readUpdate(body);
  if (update === undefined) return { status: 400, body: 'The body is no update.' };
  const { message } = update;
  const { media_group_id: _album, ...alone } = message ?? {};
  const single = message == null ? update : { ...update, message: alone as typeof message };
  try {
    await intake.take(single, (run) => run());
    return { status: 200 };
  } catch (error) {
    logNotKept(context, error);
    return { status: 500, body: 'The update was not kept.' };
  }
}

function isSecret(given: string | string[] | undefined, secret: string): boolean {
  const [one, other] = [Buffer.from(typeof given === 'string' ? given : ''), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function readUpdate(body: Uint8Array): Update | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return isUpdate(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
