import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Inbound } from '../../../src/channels/channel.ts';
import { createFastClock, type DiscordBench, startDiscord } from './bench.ts';

/** Waits for a message with the id, and returns it. */
async function heard({ ingress }: Pick<DiscordBench, 'ingress'>, id: string): Promise<Inbound> {
  await until(() => ingress.heard.some(({ messageId }) => messageId === id), 'the message to be heard');
  const found = ingress.heard.find(({ messageId }) => messageId === id);
  if (found === undefined) throw new Error('It was not heard.');
  return found;
}

/** Dispatches `MESSAGE_CREATE` with this data under a new number. */
function repeat({ fake }: Pick<DiscordBench, 'fake'>, d: unknown): void {
  for (const { events, socket } of fake.world.sessions.values()) {
    const event = { s: events.length + 1, t: 'MESSAGE_CREATE', d: (d ?? {}) as Record<string, unknown> };
    events.push(event);
    socket?.send(JSON.stringify({ op: 0, ...event, d }));
  }
}

const file = (name: string, text: string) => ({ name, type: 'text/plain', bytes: Buffer.from(text) });

async function textsOf({ files = [] }: Inbound): Promise<string[]> {
  const texts = [];
  for (const { bytes } of files) {
    const chunks = [];
    for await (const chunk of bytes) chunks.push(chunk);
    texts.push(Buffer.concat(chunks).toString());
  }
  return texts;
}

describe('a message on Discord', () => {
  it('of a private channel has its sender and no group', async () => {
    const bench = await startDiscord();
    const message = await heard(bench, bench.fake.say('hello'));
    expect(message).toMatchObject({ place: bench.fake.place, sender: bench.fake.person, senderName: 'ADA' });
    expect(message.group).toBeUndefined();
  });

  it('of a server is addressed by a mention, the role of the bot, a reply to it, or a command', async () => {
    const bench = await startDiscord();
    const { fake, send } = bench;
    const { world, textChannel: place } = fake;
    const { platformId = '' } = await send('I am here.', place);
    const cases = [
      [fake.say(`<@${world.bot.id}> hi`, { place, mentions: [world.bot.id] }), 'hi', true],
      [fake.say(`<@!${world.bot.id}>, /status`, { place, mentions: [world.bot.id] }), '/status', true],
      [fake.say(`<@&${world.guild.roleId}> hi`, { place, roles: [world.guild.roleId] }), 'hi', true],
      [fake.say('and now?', { place, replyTo: platformId }), 'and now?', true],
      [fake.say('/stop', { place }), '/stop', true],
      [fake.say('just talking', { place }), 'just talking', false],
      [fake.say(`ask <@${fake.person}>`, { place, mentions: [fake.person] }), 'ask @ADA', false],
    ] as const;
    for (const [id, text, addressed] of cases)
      expect(await heard(bench, id)).toMatchObject({ text, place, group: { place, addressed } });
  });

  it('that is a mention alone keeps it as its text', async () => {
    const bench = await startDiscord();
    const { bot } = bench.fake.world;
    const id = bench.fake.say(`<@${bot.id}>`, { place: bench.fake.textChannel, mentions: [bot.id] });
    expect((await heard(bench, id)).text).toBe('@plugboard');
  });

  it('of a thread, or of a post in a forum, has the thread as its place and the channel as its group', async () => {
    const bench = await startDiscord();
    const { fake } = bench;
    const starter = fake.say('begin', { place: fake.textChannel });
    for (const parent of [fake.textChannel, fake.forum]) {
      const thread = fake.createThread(parent, parent === fake.textChannel ? starter : undefined);
      const id = fake.say('inside', { place: thread.id });
      expect(await heard(bench, id)).toMatchObject({ place: thread.id, group: { place: parent } });
    }
  });

  it('of a thread that no event has named is looked up', async () => {
    const bench = await startDiscord();
    const { fake } = bench;
    const thread = fake.createThread(fake.textChannel);
    const id = fake.say('inside', { place: thread.id, fields: { channel_type: undefined } });
    expect(await heard(bench, id)).toMatchObject({ group: { place: fake.textChannel } });
  });

  it('names the message that it replies to, also when that was deleted', async () => {
    const bench = await startDiscord();
    const { fake, send } = bench;
    const { platformId = '' } = await send('one');
    const reply = fake.say('yes', { replyTo: platformId });
    expect((await heard(bench, reply)).repliesTo).toBe(platformId);
    fake.remove(platformId);
    const late = fake.say('still yes', { replyTo: platformId });
    expect((await heard(bench, late)).repliesTo).toBe(platformId);
  });

  it('that is forwarded has the text and the files of the original', async () => {
    const bench = await startDiscord();
    const original = bench.fake.say('', { files: [file('a.txt', 'inside')], unseen: true });
    const [attachment] =
      bench.fake.world.channels.get(bench.fake.place)?.messages.find(({ id }) => id === original)
        ?.attachments ?? [];
    const id = bench.fake.say('', {
      fields: {
        message_reference: { type: 1, message_id: original, channel_id: bench.fake.place },
        message_snapshots: [{ message: { content: 'the plan', attachments: [attachment] } }],
      },
    });
    const message = await heard(bench, id);
    expect(message.text).toBe('[Forwarded] the plan');
    expect(await textsOf(message)).toEqual(['inside']);
    expect(message.repliesTo).toBeUndefined();
  });

  it('with a sticker or a poll is named, and one with nothing that the bot may see is not passed on', async () => {
    const bench = await startDiscord();
    const sticker = bench.fake.say('', { fields: { sticker_items: [{ id: '1', name: 'Wave' }] } });
    expect((await heard(bench, sticker)).text).toBe('[Sticker: Wave]');
    const poll = bench.fake.say('', { fields: { poll: { question: { text: 'Tea?' } } } });
    expect((await heard(bench, poll)).text).toBe('[Poll: Tea?]');
    bench.fake.say('', { place: bench.fake.textChannel });
    await heard(bench, bench.fake.say('last', { place: bench.fake.textChannel }));
    expect(bench.ingress.heard).toHaveLength(3);
  });

  it('of a bot, a webhook or Discord itself is not heard, nor is an edit or the preview of a link', async () => {
    const bench = await startDiscord();
    const { fake, ingress, send } = bench;
    await send('from the bot itself');
    fake.say('beep', { fields: { author: { id: '123', username: 'robot', bot: true } } });
    fake.say('hook', { fields: { webhook_id: '5' } });
    fake.say('joined', { fields: { type: 7 } });
    const id = fake.say('see https://example.org');
    fake.addPreview(id);
    const last = fake.say('last');
    await heard(bench, last);
    expect(ingress.heard.map(({ messageId }) => messageId)).toEqual([id, last]);
    // Everything else is acknowledged, too: a resume would not repeat it.
    await until(() => fake.isAcknowledged(last), 'the last message to be acknowledged');
  });

  it('of an unknown shape is left out, and those behind it are heard', async () => {
    const bench = await startDiscord();
    const { fake, ingress } = bench;
    fake.say('x', { fields: { mentions: 7, attachments: 'none', content: null } });
    fake.say('y', { fields: { author: null } });
    repeat(bench, null);
    const last = fake.say('last');
    await heard(bench, last);
    expect(ingress.heard).toHaveLength(1);
    await until(() => fake.isAcknowledged(last), 'the last message to be acknowledged');
  });

  it('that comes a second time under a new number is heard once', async () => {
    const bench = await startDiscord();
    const id = bench.fake.say('one');
    await heard(bench, id);
    const [session] = bench.fake.world.sessions.values();
    repeat(bench, session?.events.find(({ d }) => d.id === id)?.d);
    await heard(bench, bench.fake.say('two'));
    expect(bench.ingress.heard.map(({ text }) => text)).toEqual(['one', 'two']);
  });

  it('of a thread that may not be looked up has the thread as its group', async () => {
    const bench = await startDiscord();
    const { fake } = bench;
    const thread = fake.createThread(fake.textChannel);
    const refused = { status: 403, body: { code: 50_001, message: 'Missing Access' } };
    fake.server.trouble(refused, ({ path }) => path.endsWith(`/channels/${thread.id}`), 9);
    await bench.channel.stop();
    fake.world.sessions.clear();
    fake.world.channels.delete(thread.id);
    await bench.channel.start(bench.ingress);
    fake.world.channels.set(thread.id, thread);
    const id = fake.say('inside', { place: thread.id });
    expect(await heard(bench, id)).toMatchObject({ group: { place: thread.id } });
  });

  it('has its files in order', async () => {
    const bench = await startDiscord();
    const files = Array.from({ length: 10 }, (_, index) => file(`${index}.txt`, `text ${index}`));
    const message = await heard(bench, bench.fake.say('ten', { files }));
    expect(message.files?.map(({ name, type }) => [name, type])).toEqual(
      files.map(({ name }) => [name, 'text/plain']),
    );
    expect(await textsOf(message)).toEqual(files.map(({ bytes }) => bytes.toString()));
  });

  it('names files that are too large, without a download', async () => {
    const bench = await startDiscord({ given: { mediaBytes: 5 } });
    const files = [file('small.txt', 'abc'), file('large.txt', 'abcdefgh')];
    const message = await heard(bench, bench.fake.say('two', { files }));
    expect(message.files?.map(({ name }) => name)).toEqual(['small.txt']);
    expect(message.text).toBe('two\n[large.txt was left out: it has 8 bytes, and 5 are allowed.]');
    expect(bench.fake.server.calls.filter(({ path }) => path.includes('large'))).toEqual([]);
  });

  it('names files that are gone, and tries those again whose download breaks', async () => {
    const read: string[][] = [];
    const bench = await startDiscord({
      given: { clock: createFastClock(10) },
      take: async (message) => void read.push(await textsOf(message)),
    });
    const { server, world } = bench.fake;
    server.trouble('cut', ({ path }) => path.endsWith('/once.txt'));
    server.trouble({ status: 502, body: 'oh' }, ({ path }) => path.endsWith('/never.txt'), 9);
    server.trouble({ status: 502, body: 'oh' }, ({ path }) => path.endsWith('/busy.txt'));
    const files = [
      file('once.txt', 'a'),
      file('gone.txt', 'b'),
      file('never.txt', 'c'),
      file('busy.txt', 'd'),
    ];
    const id = bench.fake.say('four', { files });
    for (const path of [...world.files.keys()]) if (path.endsWith('gone.txt')) world.files.delete(path);
    await until(() => read.length === 1, 'the message to be kept', 10_000);
    const kept = bench.ingress.heard.at(-1);
    expect(kept).toMatchObject({ messageId: id });
    expect(kept?.text).toBe(
      'four\n[gone.txt was left out: it could not be downloaded: Discord answered 404.]\n[never.txt was left out: it could not be downloaded: Discord answered 502.]',
    );
    expect(read).toEqual([['a', 'd']]);
  });

  it('that is refused holds up the later ones of its place, and nobody else', async () => {
    let isRefused = true;
    const bench = await startDiscord({
      take: async ({ text }) => {
        if (text === 'first' && isRefused) throw new Error('The disk is full.');
      },
    });
    const { fake, ingress } = bench;
    fake.say('first');
    const second = fake.say('second');
    const other = fake.say('elsewhere', { place: 'bob', person: 'bob' });
    await heard(bench, other);
    await until(() => ingress.heard.filter(({ text }) => text === 'first').length > 1, 'a second attempt');
    expect(ingress.heard.map(({ text }) => text)).not.toContain('second');
    expect(fake.isAcknowledged(other)).toBe(false);
    isRefused = false;
    await heard(bench, second);
    await until(() => fake.isAcknowledged(other), 'everything to be acknowledged');
  });
});
