import { startFakeTelegram, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { prove } from '../../../src/channels/telegram/prove.ts';
import { tokenProblem } from '../../../src/channels/telegram/settings.ts';
import { Secret } from '../../../src/config/secret.ts';
import { calling, channelFor, createTestLog, openTelegram, refusal, settingsFor } from './telegram-bench.ts';

const errorOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('starting a channel of Telegram', () => {
  it('shows the commands of the gateway in the menu', async () => {
    const commands = [
      { name: 'stop', description: 'stops' },
      { name: 'not-possible', description: 'has a hyphen' },
      { name: 'long', description: 'x'.repeat(300) },
    ];
    const { platform, log } = await openTelegram({ commands });
    expect(platform.world.commands).toEqual([
      { command: 'stop', description: 'stops' },
      { command: 'long', description: 'x'.repeat(256) },
    ]);
    expect(log.codes).toEqual([]);
  });

  it('goes on without a menu', async () => {
    const { platform, log } = await openTelegram({
      prepare: ({ server }) =>
        server.trouble(refusal(500, 'Internal Server Error'), calling('setMyCommands')),
    });
    const name = platform.say('hi');
    await until(() => platform.isAcknowledged(name), 'Telegram to know');
    expect(log.codes).toEqual(['telegram-menu-not-set']);
  });

  it.each([
    ['of another bot', '110201543:BBHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'],
    ['that is malformed', '12'],
  ])('with a token %s is refused for good, and the token is not told', async (_what, token) => {
    await using platform = await startFakeTelegram();
    const log = createTestLog();
    const channel = channelFor(platform, { log, settings: { token: new Secret(token) } });
    const error = await errorOf(channel.start({} as never));
    expect(error).toMatchObject({ problem: 'never', stopsChannel: true });
    expect(`${String(error)} ${log.written.join()}`).not.toContain(token.length > 5 ? token : '/bot12');
    await channel.stop();
  });

  it('is tried again later when Telegram cannot be reached', async () => {
    await using platform = await startFakeTelegram();
    await platform.server.down();
    const channel = channelFor(platform);
    expect(await errorOf(channel.start({} as never))).toMatchObject({ problem: 'later' });
    await channel.stop();
  });

  it('removes a webhook that was left set', async () => {
    const { platform, ingress, log } = await openTelegram({
      prepare: ({ world }) => {
        world.webhook = { url: 'http://127.0.0.1:9/old', secret: '' };
      },
    });
    platform.say('hi');
    await until(() => ingress.heard.length === 1, 'the message');
    expect(platform.world.webhook).toBeUndefined();
    expect(log.codes).toEqual([]);
  });

  it('can be stopped before Telegram has answered', async () => {
    await using platform = await startFakeTelegram();
    platform.server.trouble('hang', calling('getMe'));
    const channel = channelFor(platform);
    const started = errorOf(channel.start({} as never));
    await until(() => platform.server.calls.length === 1, 'the first call');
    await channel.stop();
    expect(await started).toMatchObject({ problem: 'unknown' });
    const calls = platform.server.calls.length;
    await channel.stop();
    expect(platform.server.calls).toHaveLength(calls);
  });
});

describe('a channel of Telegram that polls', () => {
  it('is stopped for good when its token is refused while it polls', async () => {
    const reasons: string[] = [];
    const { platform, calls } = await openTelegram({
      platform: { holdMs: 20 },
      ingress: { fail: (reason) => void reasons.push(reason) },
    });
    platform.server.trouble(refusal(401, 'Unauthorized'), calling('getUpdates'));
    await until(() => reasons.length === 1, 'the reason');
    expect(reasons[0]).toBe('Telegram refuses the token: Unauthorized');
    const polls = calls('getUpdates').length;
    platform.say('hi');
    await until(() => true, 'a moment');
    expect(calls('getUpdates')).toHaveLength(polls);
  });

  it('says so when another program polls, and goes on', async () => {
    const { platform, ingress, log } = await openTelegram();
    await until(() => platform.server.calls.some(calling('getUpdates')), 'the first request');
    const other = await fetch(`${platform.server.url}/bot${platform.token}/getUpdates`);
    expect(other.status).toBe(200);
    await until(() => log.codes.includes('telegram-conflict'), 'the entry');
    platform.say('hi');
    await until(() => ingress.heard.length === 1, 'the message');
    expect(log.written.join()).toMatch(/Another program asks for the messages of this bot/);
  });

  it('removes a webhook that is set while it polls', async () => {
    const { platform, ingress, log } = await openTelegram({ platform: { holdMs: 20 } });
    platform.world.webhook = { url: 'http://127.0.0.1:9/other', secret: '' };
    await until(() => log.codes.includes('telegram-conflict'), 'the entry');
    platform.say('hi');
    await until(() => ingress.heard.length === 1, 'the message');
  });

  it('goes on after Telegram was away, after silence and after answers that are none', async () => {
    const { platform, ingress, log } = await openTelegram({ platform: { holdMs: 20 } });
    platform.server.trouble('cut', calling('getUpdates'));
    platform.server.trouble({ status: 502, body: 'Bad Gateway' }, calling('getUpdates'));
    platform.server.trouble(refusal(429, 'Too Many Requests', { retry_after: 0 }), calling('getUpdates'));
    platform.say('hi');
    await until(() => ingress.heard.length === 1, 'the message');
    expect(log.codes).toEqual(['telegram-poll-failed', 'telegram-poll-failed', 'telegram-poll-failed']);
    expect(log.written.join()).not.toContain(platform.token);
  });

  it('stops at once while Telegram is deaf, and asks for nothing more', async () => {
    const { platform, channel, calls } = await openTelegram();
    platform.server.trouble('hang', () => true, 99);
    const typing = errorOf(channel.typing?.(platform.place) ?? Promise.resolve());
    await until(() => platform.server.calls.some(calling('sendChatAction')), 'the call');
    const began = performance.now();
    await channel.stop();
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(await typing).toMatchObject({ problem: 'unknown' });
    const polls = calls('getUpdates').length;
    platform.say('too late');
    await until(() => performance.now() - began > 100, 'a moment');
    expect(calls('getUpdates')).toHaveLength(polls);
  });

  it('does not mix with another bot in the same process', async () => {
    const one = await openTelegram();
    const two = await openTelegram({
      platform: { token: '220201543:BBHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', username: 'other_bot' },
    });
    one.platform.say('for one');
    two.platform.say('for two');
    await until(() => one.ingress.heard.length + two.ingress.heard.length === 2, 'both');
    await one.send({ text: 'from one' });
    await two.send({ text: 'from two' });
    expect([one, two].map(({ ingress }) => ingress.heard.map(({ text }) => text))).toEqual([
      ['for one'],
      ['for two'],
    ]);
    expect([one, two].map(({ platform }) => platform.shown().map(({ text }) => text))).toEqual([
      ['from one'],
      ['from two'],
    ]);
  });
});

describe('proving a token of Telegram', () => {
  it('tells the name of the bot, and a link that carries a code', async () => {
    await using platform = await startFakeTelegram();
    platform.world.settings.canReadAll = true;
    const { name, link, remarks } = await prove({ settings: settingsFor(platform) });
    expect([name, link?.(), link?.('ABCD-EFGH'), remarks]).toEqual([
      ...['@plug_bot', 'https://t.me/plug_bot', 'https://t.me/plug_bot?start=ABCD-EFGH', []],
    ]);
  });

  it('remarks on privacy mode, on groups and on a webhook, each with its remedy', async () => {
    await using platform = await startFakeTelegram();
    platform.world.webhook = { url: 'https://old.example/', secret: '' };
    const settings = settingsFor(platform);
    const hidden = (await prove({ settings })).remarks;
    expect(hidden).toEqual([expect.stringMatching(/\/setprivacy/), expect.stringMatching(/webhook is set/)]);
    platform.world.settings.canJoinGroups = false;
    expect((await prove({ settings })).remarks[0]).toMatch(/\/setjoingroups/);
  });

  it('rejects with a sentence without the token when it is refused', async () => {
    await using platform = await startFakeTelegram();
    const token = '110201543:CCHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
    const error = await errorOf(prove({ settings: settingsFor(platform, { token: new Secret(token) }) }));
    expect(String(error)).toMatch(/Telegram refuses the token: Unauthorized$/);
    expect(tokenProblem(token)).toBeUndefined();
    expect(tokenProblem('AAH')).toMatch(/colon/);
  });
});
