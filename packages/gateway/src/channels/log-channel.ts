import type { Channel, Ingress } from './channel.ts';

/**
 * A channel whose users read the event log over HTTP, so that answers need no delivery. Notices of the gateway are
 * added to the log.
 */
export function createLogChannel(name: string): Channel {
  let ingress: Ingress | undefined;
  const note = async (sessionId: string, id: string, text: string): Promise<number> => {
    if (ingress === undefined) throw new Error(`The channel ${name} has not been started.`);
    return ingress.note(sessionId, id, text);
  };
  return {
    name,
    limits: { readsLog: true, textLength: 1_000_000, media: true },
    async start(given) {
      ingress = given;
    },
    async send(_place, { text }, { id, sessionId }) {
      return { platformId: String(await note(sessionId, id, text)) };
    },
    async stop() {
      ingress = undefined;
    },
    // `note` is idempotent, so that a cut-off delivery can be retried.
    resolve: async () => 'pending',
  };
}
