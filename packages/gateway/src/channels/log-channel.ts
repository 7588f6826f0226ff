import type { Channel, Ingress } from './channel.ts';

/**
 * A channel whose people read the log of events itself, over HTTP: their answers are there already. What the gateway has
 * to say beside that becomes a notice in the log.
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
    // The same id again changes nothing, so that what was cut off can simply be said again.
    resolve: async () => 'pending',
  };
}
