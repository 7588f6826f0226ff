import { join } from 'node:path';
import { openSqlite } from '@plugboard/store/sqlite';
import { temporaryDirectory } from '@plugboard/testkit';
import type { Channel } from '../../src/channels/channel.ts';
import { createFeed } from '../../src/live/feed.ts';
import type { ChannelBench } from './channel-suite.ts';

/** A channel whose platform is the log of a session, which people read over HTTP. */
export async function openLogBench(channel: Channel): Promise<ChannelBench> {
  const directory = temporaryDirectory();
  const store = openSqlite(join(directory.path, 'gateway.db'), { clock: Date.now, synchronous: 'normal' });
  const feed = createFeed();
  const session = await store.sessions.open({ channel: channel.name, place: 'hall', agent: 'echo' });
  let calls = 0;
  return {
    channel,
    place: session.place,
    sessionId: session.id,
    async note(sessionId, id, text) {
      calls += 1;
      const { event, duplicate } = await store.log.note(sessionId, { id, event: { type: 'notice', text } });
      if (!duplicate) feed.publish(sessionId, [event]);
      return event.number;
    },
    async seen() {
      const events = await store.log.read(session.id, { after: 0, limit: 1_000 });
      return events.flatMap(({ number, event }) =>
        event.type === 'notice' ? [{ platformId: String(number), text: event.text, files: 0 }] : [],
      );
    },
    calls: () => calls,
    async [Symbol.asyncDispose]() {
      await channel.stop();
      await store.close();
      directory[Symbol.dispose]();
    },
  };
}
