import type { IncomingMessage } from 'node:http';
import { invalidField } from '../problem.ts';

const HEADER = 'x-plugboard-session';
const LONGEST = 200;

/**
 * Session name from the header `X-Plugboard-Session`, or from `metadata.session` for clients that cannot set headers.
 */
export function sessionNameOf(
  { headers }: IncomingMessage,
  metadata: Readonly<Record<string, unknown>> | null | undefined,
): string | undefined {
  const header = headers[HEADER];
  const name = typeof header === 'string' ? header : metadata?.session;
  if (name === undefined) return undefined;
  const param = header === undefined ? 'metadata.session' : 'X-Plugboard-Session';
  if (typeof name !== 'string' || name.trim() === '' || name.length > LONGEST || /\p{Cc}/u.test(name)) {
    throw invalidField(param, `A session has a name of 1 to ${LONGEST} characters.`);
  }
  return name;
}
