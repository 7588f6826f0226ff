import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Inbound } from '../../../src/channels/channel.ts';
import { openTelegram, type TelegramBench } from './telegram-bench.ts';

const GROUP = -1_001_234;
const BOT = { id: 110201543, is_bot: true, first_name: 'Fake', username: 'plug_bot' };

/** A channel before a platform with a group. */
function openGroup(fields: { is_forum?: true } = {}): Promise<TelegramBench> {
  return openTelegram({ prepare: (platform) => platform.addGroup({ id: GROUP, ...fields }) });
}

/** What is heard of one message. */
async function heardOf(
  { platform, ingress }: TelegramBench,
  message: Parameters<TelegramBench['platform']['receive']>[0],
): Promise<Inbound | undefined> {
  const name = platform.receive(message);
  await until(() => platform.isAcknowledged(name), 'Telegram to know');
  return ingress.heard.find(({ messageId }) => messageId === name);
}

describe('updates of Telegram', () => {
  it('are confirmed only when they and all before them are kept', async () => {
    const first = Promise.withResolvers<void>();
    const { platform, ingress } = await openTelegram({
      take: async ({ place }) => (place === '7001' ? first.promise : undefined),
    });
    const one = platform.say('one');
    const other = platform.say('other', { place: '8' });
    await until(() => ingress.heard.length === 2, 'both');
    expect([platform.isAcknowledged(one), platform.isAcknowledged(other)]).toEqual([false, false]);
    first.resolve();
    await until(() => platform.isAcknowledged(other), 'Telegram to know');
    expect(platform.isAcknowledged(one)).toBe(true);
    expect(ingress.heard.map(({ text }) => text)).toEqual(['one', 'other']);
  });

  it('of one chat stay in their order when the first of them is refused at first', async () => {
    let refusals = 2;
    const kept: string[] = [];
    const { platform, log } = await openTelegram({
      async take({ text }) {
        if (text === 'one' && refusals > 0) {
          refusals -= 1;
          throw new Error('The disk is full.');
        }
        kept.push(text);
      },
    });
    for (const text of ['one', 'two']) platform.say(text);
    const last = platform.say('three');
    await until(() => platform.isAcknowledged(last), 'Telegram to know');
    expect(kept).toEqual(['one', 'two', 'three']);
    expect(log.codes.filter((code) => code === 'telegram-update-not-kept')).toHaveLength(2);
  });

  it('that were not confirmed by an earlier process are given again, under the same name', async () => {
    const stuck = Promise.withResolvers<void>();
    const bench = await openTelegram({ take: () => stuck.promise });
    const name = bench.platform.say('one');
    await until(() => bench.ingress.heard.length === 1, 'it to be heard');
    const stopping = bench.channel.stop();
    const heard: string[] = [];
    await bench.channel.start({
      ...bench.ingress,
      receive: async ({ messageId }) => {
        heard.push(messageId);
        return { kind: 'ignored' };
      },
    });
    await until(() => bench.platform.isAcknowledged(name), 'Telegram to know');
    expect(heard).toEqual([name]);
    stuck.resolve();
    await stopping;
  });

  it('are taken also when their ids begin anew with a lower one', async () => {
    const bench = await openTelegram({ platform: { holdMs: 20 } });
    await heardOf(bench, { text: 'before' });
    await until(
      () => bench.calls('getUpdates').at(-1)?.offset === undefined,
      'a request that confirms nothing',
    );
    bench.platform.restartUpdates(5);
    expect(await heardOf(bench, { text: 'after a week' })).toMatchObject({ text: 'after a week' });
  });

  it('that are edits or unknown are confirmed and left alone', async () => {
    const { platform, ingress, log } = await openTelegram();
    const name = platform.say('one');
    const id = Number(name.split('#')[1]);
    const chat = { id: 7_001, type: 'private' };
    platform.update({
      edited_message: { message_id: id, date: 1, edit_date: 2, chat, from: BOT, text: 'ONE' },
    });
    platform.update({ something_new: { of: 'next year' } });
    const last = platform.say('two');
    await until(() => platform.isAcknowledged(last), 'Telegram to know');
    expect(ingress.heard.map(({ text }) => text)).toEqual(['one', 'two']);
    expect(log.codes).toEqual([]);
  });

  it('that cannot be read are logged and do not hold up the next', async () => {
    const { platform, ingress, log } = await openTelegram();
    platform.update({
      message: { message_id: 1, chat: { id: 7_001 }, from: { id: 1 }, text: 7, entities: 7 },
    });
    const last = platform.say('two');
    await until(() => platform.isAcknowledged(last), 'Telegram to know');
    expect(ingress.heard.map(({ text }) => text)).toEqual(['two']);
    expect(log.codes).toContain('telegram-message-unreadable');
  });

  it('about the bot itself are logged: blocked, unblocked, added, removed', async () => {
    const { platform, log } = await openGroup();
    const change = (id: number, before: string, after: string): void =>
      platform.update({
        my_chat_member: {
          chat: id > 0 ? { id, type: 'private' } : { id, type: 'supergroup', title: 'Hall' },
          ...{ from: BOT, date: 1, old_chat_member: { status: before }, new_chat_member: { status: after } },
        },
      });
    change(7_001, 'member', 'kicked');
    change(7_001, 'kicked', 'member');
    change(GROUP, 'left', 'member');
    change(GROUP, 'member', 'administrator');
    change(GROUP, 'administrator', 'kicked');
    await until(() => log.codes.length === 4, 'four entries');
    expect(log.codes).toEqual(Array.from({ length: 4 }, () => 'telegram-bot-status'));
    for (const [index, word] of ['has blocked', 'has unblocked', 'added to', 'removed from'].entries())
      expect(log.written[index]).toContain(word);
  });
});

describe('a message on Telegram', () => {
  it('has no name that Telegram gives to several: 0 is that of all ephemeral messages', async () => {
    const { platform, ingress } = await openTelegram();
    platform.receive({ message_id: 0, ephemeral_message_id: 4, date: 100, text: 'one' });
    platform.receive({ message_id: 0, ephemeral_message_id: 4, date: 200, text: 'two' });
    await until(() => ingress.heard.length === 2, 'both');
    const [one, two] = ingress.heard.map(({ messageId }) => messageId);
    expect(one).not.toBe(two);
    expect([one, two]).not.toContain('7001#0');
  });

  it('of an anonymous administrator or a channel has the chat as its sender', async () => {
    const bench = await openGroup();
    const stand = { id: 1_087_968_824, is_bot: true, first_name: 'Group' };
    const anonymous = await heardOf(bench, {
      ...{ place: String(GROUP), text: 'hi', from: stand },
      sender_chat: { id: GROUP, type: 'supergroup', title: 'Hall' },
    });
    expect(anonymous).toMatchObject({ sender: String(GROUP), senderName: 'Hall' });
    const channel = { id: -1_009, type: 'channel', title: 'News' };
    const posted = await heardOf(bench, {
      place: String(GROUP),
      text: 'news',
      from: stand,
      sender_chat: channel,
    });
    expect(posted).toMatchObject({ sender: '-1009', senderName: 'News' });
    expect(
      await heardOf(bench, { place: String(GROUP), text: 'hi', from: { ...stand, id: 5 } }),
    ).toBeUndefined();
  });

  it('of a topic belongs to the topic, and a chain of replies is no topic', async () => {
    const bench = await openGroup({ is_forum: true });
    const place = `${GROUP}/45`;
    const began = {
      message_id: 45,
      date: 1,
      chat: { id: GROUP },
      from: BOT,
      forum_topic_created: { name: 'x' },
    };
    const inTopic = await heardOf(bench, { place, text: 'hi', reply_to_message: began });
    expect(inTopic).toMatchObject({ place, group: { place: String(GROUP), addressed: false } });
    expect(inTopic?.repliesTo).toBeUndefined();
    const chain = await heardOf(bench, { place: String(GROUP), message_thread_id: 9, text: 'hi' });
    expect(chain?.place).toBe(String(GROUP));
    const inPrivate = await heardOf(bench, { place: '7001/3', text: 'hi' });
    expect(inPrivate).toMatchObject({ place: '7001/3' });
    expect(inPrivate?.group).toBeUndefined();
  });

  it.each([
    ['a mention, which is taken off', { text: '@Plug_Bot, how are you?' }, true, 'how are you?'],
    ['a mention within', { text: 'Is @plug_bot here?' }, true, 'Is @plug_bot here?'],
    ['a mention of another', { text: '@plug_bot2 hi' }, false, '@plug_bot2 hi'],
    ['a command', { text: '/status' }, true, '/status'],
    ['its own command', { text: '/status@plug_bot now' }, true, '/status now'],
    ['a command of another bot', { text: '/status@other_bot' }, false, '/status@other_bot'],
    ['nothing', { text: 'hi all' }, false, 'hi all'],
    [
      'a mention in a caption',
      {
        caption: '@plug_bot see',
        caption_entities: [{ type: 'mention', offset: 0, length: 9 }],
        dice: { emoji: '🎲', value: 3 },
      },
      true,
      'see\n[Dice: 🎲 3]',
    ],
    [
      'a mention of a person without a name',
      { text: 'You there', entities: [{ type: 'text_mention', offset: 0, length: 3, user: BOT }] },
      true,
      'You there',
    ],
  ])('in a group, with %s, is for the agent or not', async (_what, fields, addressed, text) => {
    const bench = await openGroup();
    const heard = await heardOf(bench, { place: String(GROUP), ...fields });
    expect(heard).toMatchObject({ text, group: { place: String(GROUP), addressed } });
  });

  it('that replies to the bot is for it, names what it replies to, and quotes a part that was marked', async () => {
    const bench = await openGroup();
    const place = String(GROUP);
    const { platformId = '' } = await bench.send({ text: 'One.\nTwo.' }, place);
    expect(await heardOf(bench, { place, text: 'Why?', replyTo: platformId })).toMatchObject({
      ...{ repliesTo: platformId, text: 'Why?', group: { addressed: true } },
    });
    const quote = { text: 'Two.', position: 5, is_manual: true };
    expect(await heardOf(bench, { place, text: 'Why?', replyTo: platformId, quote })).toMatchObject({
      text: '> Two.\nWhy?',
    });
  });

  it('that replies to another person brings the words and the picture of that person along', async () => {
    const bench = await openGroup();
    const photo = [{ file_id: 'f', file_unique_id: 'u', width: 1, height: 1 }];
    const reply = { message_id: 3, date: 1, chat: { id: GROUP }, from: { id: 5 }, caption: 'Our cat', photo };
    const heard = await heardOf(bench, {
      place: String(GROUP),
      text: '@plug_bot what is it?',
      reply_to_message: reply,
    });
    expect(heard?.text).toBe('> Our cat\nwhat is it?');
    expect(heard?.files?.map(({ name }) => name)).toEqual(['photo.jpg']);
  });

  it('that was forwarded says so, and is no command', async () => {
    const bench = await openTelegram();
    const forward_origin = { type: 'hidden_user', sender_user_name: 'Bob', date: 1 };
    expect((await heardOf(bench, { text: '/stop', forward_origin }))?.text).toBe(
      '[Forwarded from Bob]\n/stop',
    );
  });

  it.each([
    [{ location: { latitude: 52.5, longitude: 13.4 } }, '[Location: 52.5 13.4]'],
    [
      { venue: { title: 'Zoo', address: 'Street 1', location: { latitude: 1, longitude: 2 } }, location: {} },
      '[Venue: Zoo, Street 1, 1 2]',
    ],
    [{ contact: { first_name: 'Ada', phone_number: '+49' } }, '[Contact: Ada +49]'],
    [{ poll: { question: 'Tea?', options: [{ text: 'yes' }, { text: 'no' }] } }, '[Poll: Tea? yes / no]'],
    [{ checklist: { title: 'To do', tasks: [{ id: 1, text: 'sleep' }] } }, 'To do\n- sleep'],
  ])('without a text is described: %o', async (fields, text) => {
    expect((await heardOf(await openTelegram(), fields))?.text).toBe(text);
  });

  it('that is rich is read block by block', async () => {
    const cell = (text: string) => ({ text, align: 'left', valign: 'top' });
    const blocks = [
      { type: 'heading', size: 2, text: ['Plan ', { type: 'bold', text: 'A' }] },
      { type: 'paragraph', text: ['See ', { type: 'url', text: 'this', url: 'https://a.example' }, '.'] },
      { type: 'list', items: [{ label: '1.', blocks: [{ type: 'paragraph', text: 'one' }] }] },
      { type: 'pre', language: 'js', text: 'run()' },
      {
        type: 'table',
        cells: [
          [cell('a'), cell('b')],
          [cell('1'), cell('2')],
        ],
      },
      { type: 'of_next_year', text: 'new' },
    ];
    const heard = await heardOf(await openTelegram(), { rich_message: { blocks } });
    expect(heard?.text).toBe(
      '## Plan A\n\nSee [this](https://a.example).\n\n1. one\n\n```js\nrun()\n```\n\na  b\n─  ─\n1  2\n\nnew',
    );
  });

  it('of the platform itself, such as a new member, is not heard', async () => {
    const bench = await openGroup();
    expect(await heardOf(bench, { place: String(GROUP), new_chat_members: [BOT] })).toBeUndefined();
    expect(await heardOf(bench, { place: String(GROUP), pinned_message: {} })).toBeUndefined();
    expect(bench.ingress.heard).toEqual([]);
  });

  it('in a group that becomes a supergroup moves its place, once', async () => {
    const moves: string[][] = [];
    const bench = await openTelegram({
      prepare: (platform) => platform.addGroup({ id: -55, type: 'group' }),
      ingress: { movePlace: async (...ids) => void moves.push(ids) },
    });
    bench.platform.migrate(-55, GROUP);
    await until(() => moves.length === 2, 'both service messages');
    expect(moves).toEqual([
      ['-55', String(GROUP)],
      ['-55', String(GROUP)],
    ]);
    expect(bench.ingress.heard).toEqual([]);
  });
});
