import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { malformed } from '../malformed.ts';
import { calling, openTelegram } from './telegram-bench.ts';

const CHAT = { id: 7_001, type: 'private' };
const FROM = { id: 7_001, is_bot: false, first_name: 'Ada', last_name: 'L' };

const MESSAGE = {
  ...{ message_id: 900, date: 1, chat: CHAT, from: FROM, text: '@plug_bot hello' },
  entities: [{ type: 'mention', offset: 0, length: 9 }],
  reply_to_message: { message_id: 1, date: 1, chat: CHAT, from: FROM, text: 'before' },
  document: { file_id: 'a', file_unique_id: 'b', file_name: 'c.txt', file_size: 3, mime_type: 'text/plain' },
};
const PRESS = { id: '1', from: FROM, message: MESSAGE, chat_instance: 'x', data: 'key' };
const STATUS = {
  ...{ chat: CHAT, from: FROM, date: 1 },
  ...{ old_chat_member: { status: 'member', user: FROM }, new_chat_member: { status: 'left', user: FROM } },
};
const FAST = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 100, run) };

describe('malformed input from Telegram', () => {
  it.each([
    ['no result', { ok: true }],
    ['a list with null', { ok: true, result: [null] }],
    ['a result that is no list', { ok: true, result: { update_id: 1 } }],
    ['null', 'null'],
    ['a list', []],
    ['a refusal that says nothing', { ok: false }],
    ['a refusal of other types', { ok: false, error_code: 'x', description: 5, parameters: 7 }],
    ['something that is not JSON', '<html>'],
  ])('is logged and asked for again, when getUpdates is answered with %s', async (_name, body) => {
    const { platform, ingress, log } = await openTelegram({
      clock: FAST,
      prepare: ({ server }) => server.trouble({ status: 200, body }, calling('getUpdates'), 3),
    });
    platform.say('after it');
    await until(() => ingress.heard.length === 1, 'the message after it');
    expect(log.codes.filter((code) => code === 'telegram-poll-failed')).toHaveLength(3);
  });

  it.each([{}, { id: 'x', username: 'plug_bot' }, [], 5])(
    'in the name of the bot (%j) makes the start fail, and a later start succeeds',
    async (result) => {
      const { platform, channel, ingress } = await openTelegram();
      await channel.stop();
      platform.server.trouble({ status: 200, body: { ok: true, result } }, calling('getMe'));
      await expect(channel.start(ingress)).rejects.toMatchObject({ problem: 'later' });
      await channel.stop();
      await channel.start(ingress);
      platform.say('after it');
      await until(() => ingress.heard.length === 1, 'the message after it');
    },
  );

  it('does not keep the updates beside an entry that is none from being taken', async () => {
    const { ingress } = await openTelegram({
      clock: FAST,
      prepare: ({ server }) =>
        server.trouble(
          { status: 200, body: { ok: true, result: [null, { update_id: 5, message: MESSAGE }, {}] } },
          calling('getUpdates'),
        ),
    });
    await until(() => ingress.heard.length === 1, 'the update');
  });

  it('of any shape in an update is left out, and the updates after it are taken', async () => {
    const { platform, ingress, log } = await openTelegram({ clock: FAST });
    for (const message of malformed(MESSAGE)) platform.world.updates.push(queued(platform, { message }));
    for (const query of malformed(PRESS))
      platform.world.updates.push(queued(platform, { callback_query: query }));
    for (const change of malformed(STATUS))
      platform.world.updates.push(queued(platform, { my_chat_member: change }));
    const last = platform.say('the last');
    await until(() => platform.isAcknowledged(last), 'Telegram to know', 10_000);
    expect(ingress.heard.at(-1)?.text).toBe('the last');
    expect(log.codes).toContain('telegram-message-unreadable');
    expect(ingress.heard.every(({ sender }) => /^-?\d+$/.test(sender))).toBe(true);
  });
});

function queued({ world }: { readonly world: { nextUpdate: number } }, fields: object) {
  const id = world.nextUpdate;
  world.nextUpdate += 1;
  return { id, type: 'message', update: { update_id: id, ...fields }, name: undefined, chat: undefined };
}
