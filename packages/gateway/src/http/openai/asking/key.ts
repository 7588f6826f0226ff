import { createHash } from 'node:crypto';
import type { Session } from '@plugboard/store';
import type { Gateway } from '../../../gateway.ts';
import type { RouteRequest } from '../../route.ts';
import { invalidField, OpenaiProblem } from '../problem.ts';

/** Idempotency key of a request: a repeated request gets the answer of the first. */
export interface RequestKey {
  /** Hash of the key and the token. */
  readonly hash: string;
  /** Hash of the request that was sent with the key. */
  readonly request: string;
}

const LONGEST = 255;

/** Reads and checks `Idempotency-Key`. */
export function keyOf({
  incoming,
  principal,
  sent,
}: Pick<RouteRequest, 'incoming' | 'principal' | 'sent'>): RequestKey | undefined {
  const key = incoming.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key === '' || key.length > LONGEST) {
    throw invalidField('Idempotency-Key', `An Idempotency-Key has 1 to ${LONGEST} characters.`);
  }
  const session = incoming.headers['x-plugboard-session'] ?? null;
  return { hash: sha256([principal.id, key]), request: sha256([incoming.url, session, sent]) };
}

/**
 * Stores the first use of a key as an event in the log of its session. Resolves to that session and the number of the
 * event; rejects when the key was used for a different request.
 */
export async function noteKey(
  { store, feed }: Gateway,
  session: Session,
  { hash, request }: RequestKey,
): Promise<{ readonly sessionId: string; readonly number: number }> {
  const text = `Asked with an Idempotency-Key; the request is ${request}.`;
  const { event: noted, duplicate } = await store.log.note(session.id, {
    id: `openai-key:${hash}`,
    event: { type: 'log', level: 'debug', text, source: 'host' },
  });
  if (!duplicate) feed.publish(session.id, [noted]);
  if (!('text' in noted.event) || noted.event.text !== text) {
    throw new OpenaiProblem('conflict', 'This Idempotency-Key was used for another request.', {
      code: 'idempotency_key_reused',
      param: 'Idempotency-Key',
    });
  }
  return { sessionId: noted.sessionId, number: noted.number };
}

function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
