import { setTimeout as sleep } from 'node:timers/promises';
import { type Channel, type Ingress, SendError } from '../../src/channels/channel.ts';
import type { Update } from './platform.ts';

/**
 * A channel to the platform of the crash tests: it asks for updates, and acknowledges what was taken in by asking on. A
 * careless one acknowledges first, a forgetful one calls updates by names of its own, which nobody knows after a restart:
 * as a proof that the sweep sees what that does.
 */
export function createPlatformChannel(url: string, fault: (point: string) => void, manner = ''): Channel {
  const end = new AbortController();
  let polling: Promise<void> = Promise.resolve();
  const poll = async (ingress: Ingress): Promise<void> => {
    for (let after = 0; !end.signal.aborted; ) {
      const updates = (await (await fetch(`${url}/updates?after=${after}`)).json()) as Update[];
      if (updates.length === 0) await sleep(5);
      for (const { id, place, text } of updates) {
        fault('update received');
        if (manner === 'careless') await fetch(`${url}/updates?after=${id}`);
        const messageId = manner === 'forgetful' ? `my ${id}` : String(id);
        await ingress.receive({ place, messageId, text, sender: 'ada' });
        fault('update taken in');
        after = id;
      }
    }
  };
  return {
    name: 'platform',
    limits: { readsLog: false, textLength: 100, media: false },
    async start(ingress) {
      polling = poll(ingress).catch(() => {});
    },
    async send(place, { text, kind }) {
      fault('before sending');
      const response = await fetch(url, {
        method: 'POST',
        body: JSON.stringify({ place, text, kind }),
      }).catch((cause) => {
        throw new SendError('unknown', 'The connection broke.', { cause });
      });
      fault('after sending');
      const { id } = (await response.json()) as { id: number };
      return { platformId: String(id) };
    },
    async stop() {
      end.abort();
      await polling;
    },
  };
}
