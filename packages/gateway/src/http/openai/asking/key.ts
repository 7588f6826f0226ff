import { createHash } from 'node:crypto';
import type { Session } from '@plugboard/store';
import type { Gateway } from '../../../gateway.ts';
import type { RouteRequest } from '../../route.ts';
import { invalid, OpenaiProblem } from '../problem.ts';

/** By what a client names a request, so that asking twice is answered once. */
export interface RequestKey {
  /** Names the key of this token. */
  readonly hash: string;
  /** Names what was asked with it. */
  readonly request: string;
}

const LONGEST = 255;

/** The Idempotency-Key of a request, if it has one. */
export function keyOf({ incoming, principal, body }: RouteRequest): RequestKey | undefined {
  const key = incoming.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key === '' || key.length > LONGEST) {
    throw invalid('Idempotency-Key', `An Idempotency-Key has 1 to ${LONGEST} characters.`);
  }
  const session = incoming.headers['x-plugboard-session'] ?? null;
  return { hash: sha256([principal.id, key]), request: sha256([incoming.url, session, body]) };
}

/**
 * Notes durably what was first asked with a key, and in which session: the log of the session keeps it, for the operator to
 * see. Resolves to that session and to where the note stands; rejects when something else was asked then.
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
