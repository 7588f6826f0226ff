import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelLimits, Ingress, Outgoing } from '../../src/channels/channel.ts';
import { callChat } from './chat-call.ts';
import type { Update } from './chat-platform.ts';

export interface ChatOptions {
  readonly name?: string;
  readonly limits?: Partial<ChannelLimits>;
}

const LIMITS: ChannelLimits = {
  readsLog: false,
  textLength: 100,
  media: true,
  editIntervalMs: 60,
  typingIntervalMs: 40,
};

/** A whole channel, as one for a real platform would be. */
export function createChatChannel(url: string, { name = 'chat', limits = {} }: ChatOptions = {}): Channel {
  let end = new AbortController();
  let polling: Promise<void> = Promise.resolve();
  const call = (path: string, body: object): Promise<Record<string, unknown>> =>
    callChat(url, path, body, end.signal);
  return {
    name,
    limits: { ...LIMITS, ...limits },
    async start(ingress) {
      end = new AbortController();
      polling = poll(url, ingress, end.signal);
    },
    async send(place, body, { id, signal }) {
      const content = { place, ...contentOf(body), key: id };
      const sent = await callChat(url, '/send', content, AbortSignal.any([signal, end.signal]));
      return { platformId: String(sent.id) };
    },
    async stop() {
      end.abort();
      await polling;
    },
    async edit(place, id, body) {
      await call('/edit', { place, id, ...contentOf(body) });
    },
    async typing(place) {
      await call('/typing', { place });
    },
    async resolve(place, _body, { id }) {
      const { found } = await call('/find', { place, key: id });
      return typeof found === 'string' ? { platformId: found } : 'pending';
    },
  };
}

function contentOf({ kind, text, media, buttons = [] }: Outgoing): object {
  const files = media.map(
    ({ name, path }) => `${name}: ${path === undefined ? '' : readFileSync(path, 'utf8')}`,
  );
  return { kind, text, media: files, buttons };
}

/** Asks for updates until it is ended. Each is acknowledged, by asking for the next, when it has been taken in. */
async function poll(url: string, ingress: Ingress, signal: AbortSignal): Promise<void> {
  for (let after = 0; !signal.aborted; ) {
    try {
      const { updates } = await callChat(url, `/updates?after=${after}`, undefined, signal);
      for (const update of updates as Update[]) {
        await takeUpdate(ingress, update);
        after = update.id;
      }
    } catch {
      await sleep(10, undefined, { signal }).catch(() => {});
    }
  }
}

async function takeUpdate(ingress: Ingress, update: Update): Promise<void> {
  const { place, sender, press: key } = update;
  if (key === undefined) await ingress.receive(inboundOf(update));
  else await ingress.press({ place, sender, senderName: sender, key });
}

function inboundOf({ id, place, sender, text, file, group, repliesTo }: Update) {
  const files =
    file === undefined ? [] : [{ name: file, bytes: Readable.from([Buffer.from(`bytes of ${file}`)]) }];
  return {
    ...{ place, messageId: String(id), text, sender, files },
    ...(group === undefined ? {} : { group }),
    ...(repliesTo === undefined ? {} : { repliesTo }),
  };
}
