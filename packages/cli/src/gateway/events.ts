import { setTimeout as sleep } from 'node:timers/promises';
import { createPatience, followLog, type LogStep } from '@plugboard/client';
import { type Address, askGateway } from './client.ts';
import { type Contact, patienceWith } from './contact.ts';

/** Between a stream that has ended and the next. */
const PAUSE_MS = 100;

/**
 * Follows the events of a session after `after`, across restarts of the gateway; throws when the gateway refuses, or is
 * unreachable for longer than `PATIENCE_MS`.
 */
export function followSession(
  contact: Contact,
  sessionId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<LogStep> {
  let used: Address | undefined;
  const patience = createPatience({ ...patienceWith(contact, () => used), signal });
  const open = async (last: number, opening: AbortSignal): Promise<Response> => {
    used = undefined;
    used = contact.find();
    return askGateway(used, (client) => client.events.openLog(sessionId, last, opening));
  };
  return followLog(open, after, {
    signal,
    onOpen: () => patience.succeeded(),
    async pause({ reason, error }) {
      if (reason === 'failed') await patience.failed(error);
      else await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
    },
  });
}
