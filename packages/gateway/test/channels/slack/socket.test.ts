import { onTestEnd, startFakeSlack } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { create } from '../../../src/channels/slack/slack.ts';
import { systemClock } from '../../../src/clock.ts';
import { Secret } from '../../../src/config/secret.ts';
import { listen } from '../suite/bench.ts';
import { givenFor, isMethod, openSlackBench, settingsFor, startSlack } from './slack-bench.ts';

const CONNECT = isMethod('apps.connections.open');

function refusal(error: string) {
  return { status: 200, body: { ok: false, error } };
}

describe('the connection to Slack', () => {
  it.each(['refresh_requested', 'warning'] as const)(
    'is renewed at once (%s), and loses nothing that was under way',
    async (reason) => {
      const kept = Promise.withResolvers<void>();
      const { slack, ingress } = await startSlack({ take: () => kept.promise });
      const ids = [slack.say('before'), slack.say('also before')];
      await expect.poll(() => ingress.heard).toHaveLength(1);
      const at = performance.now();
      slack.sockets.disconnect(reason);
      await expect.poll(() => slack.sockets.opened, { interval: 2 }).toBe(2);
      expect(performance.now() - at).toBeLessThan(100);
      ids.push(slack.say('meanwhile'));
      kept.resolve();
      await expect.poll(() => ids.every(slack.isAcknowledged)).toBe(true);
      expect(ingress.heard.map(({ messageId }) => messageId)).toEqual(ids);
    },
  );

  it('that is cut is opened again, and an event that was not acknowledged comes again and is taken once', async () => {
    const kept = Promise.withResolvers<void>();
    const { slack, ingress } = await startSlack({ take: () => kept.promise });
    const id = slack.say('one');
    await expect.poll(() => ingress.heard).toHaveLength(1);
    slack.sockets.cut();
    await expect.poll(() => slack.envelopes[0]?.attempt).toBe(1);
    kept.resolve();
    await expect.poll(() => slack.isAcknowledged(id)).toBe(true);
    expect(ingress.heard).toHaveLength(1);
  });

  it('carries a late acknowledgement, after Slack has given the event again', async () => {
    const kept = Promise.withResolvers<void>();
    const { slack, ingress } = await startSlack({
      take: () => kept.promise,
      ackMs: 30,
      retryMs: [0, 50, 50],
    });
    const id = slack.say('slow');
    await expect.poll(() => slack.envelopes[0]?.attempt).toBeGreaterThanOrEqual(1);
    expect(slack.isAcknowledged(id)).toBe(false);
    kept.resolve();
    await expect.poll(() => slack.isAcknowledged(id)).toBe(true);
    expect(ingress.heard).toHaveLength(1);
    expect(slack.envelopes).toHaveLength(1);
  });

  it('ends the channel when Socket Mode was switched off', async () => {
    const { slack, ingress } = await startSlack();
    slack.sockets.disconnect('link_disabled');
    await expect
      .poll(() => ingress.failed)
      .toEqual(['Socket Mode was switched off in the settings of the app.']);
    expect(slack.sockets.opened).toBe(1);
  });

  it('waits where there are too many others', async () => {
    const { slack, ingress } = await startSlack();
    const at = performance.now();
    slack.sockets.disconnect('too_many_websockets');
    const id = slack.say('meanwhile');
    await expect.poll(() => slack.isAcknowledged(id)).toBe(true);
    // At least 4 s, which the clock of the test makes 0.2 s.
    expect(performance.now() - at).toBeGreaterThan(100);
    expect(ingress.failed).toEqual([]);
  });

  it('is opened again when Slack refuses it for a while', async () => {
    const { slack } = await startSlack();
    slack.server.trouble({ status: 429, headers: { 'retry-after': '2' } }, CONNECT);
    slack.server.trouble({ status: 503, body: 'x' }, CONNECT);
    slack.sockets.cut();
    const id = slack.say('after');
    await expect.poll(() => slack.isAcknowledged(id)).toBe(true);
    expect(slack.server.calls.filter(CONNECT)).toHaveLength(4);
  });

  it('ends the channel when the token was revoked meanwhile', async () => {
    const { slack, ingress } = await startSlack();
    slack.server.trouble(refusal('token_revoked'), CONNECT, 9);
    slack.sockets.cut();
    await expect.poll(() => ingress.failed).toEqual(['Slack refused apps.connections.open: token_revoked.']);
    expect(slack.server.calls.filter(CONNECT)).toHaveLength(2);
  });

  it.each([
    [{ type: 'app_uninstalled' }, 'The app was removed from the workspace.'],
    [
      { type: 'tokens_revoked', tokens: { bot: ['BOT'] } },
      'The bot token was revoked: install the app again.',
    ],
  ])('brings the end of the app (%o)', async (event, reason) => {
    const { slack, ingress } = await startSlack();
    const text = JSON.stringify(event).replace('BOT', slack.workspace.botUser);
    const given = slack.event(JSON.parse(text));
    await expect.poll(() => ingress.failed).toEqual([reason]);
    expect((await given).ackedAt).toBeDefined();
  });

  it('goes on when the token of another bot was revoked', async () => {
    const { slack, ingress } = await startSlack();
    await slack.event({ type: 'tokens_revoked', tokens: { oauth: ['U1'], bot: ['U2'] } });
    const id = slack.say('after');
    await expect.poll(() => slack.isAcknowledged(id)).toBe(true);
    expect(ingress.failed).toEqual([]);
  });

  it('outlives frames that no library could read', async () => {
    const { slack, ingress } = await startSlack();
    const rejected: unknown[] = [];
    const note = (reason: unknown): void => void rejected.push(reason);
    process.on('unhandledRejection', note);
    onTestEnd(() => void process.off('unhandledRejection', note));
    for (const frame of [
      { type: 'events_api', envelope_id: 'e1', payload: {} },
      { type: 'events_api', envelope_id: 'e2' },
      { type: 'events_api', envelope_id: 'e3', payload: { event: { type: 'disconnected' } } },
      { type: 'close', envelope_id: 'e4' },
      [],
      { envelope_id: 'e5' },
      { type: 'interactive', envelope_id: 'e6', payload: null },
      { type: 'slash_commands', envelope_id: 'e7', payload: 7 },
    ])
      slack.sockets.send(frame);
    const id = slack.say('after');
    await expect.poll(() => slack.isAcknowledged(id)).toBe(true);
    expect(ingress.heard.map(({ text }) => text)).toEqual(['after']);
    expect(rejected).toEqual([]);
    expect(slack.sockets.opened).toBe(1);
  });
});

it('no log record of the Slack channel holds a token, an address or a ticket', async () => {
  const records: string[] = [];
  const note = (message: string, fields: object = {}): void =>
    void records.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: note, info: note, warn: note, error: note };
  let failures = 2;
  const { slack } = await startSlack({
    given: { log },
    take: async () => {
      if (failures-- > 0) throw new Error('The disk is full.');
    },
  });
  slack.server.trouble('lose', CONNECT);
  slack.server.trouble({ status: 503, body: slack.workspace.appToken }, CONNECT);
  slack.sockets.cut();
  const id = slack.say('one');
  await expect.poll(() => slack.isAcknowledged(id)).toBe(true);
  expect(records.length).toBeGreaterThan(2);
  const { botToken, appToken } = slack.workspace;
  for (const secret of [botToken, appToken, slack.server.url, 'ticket-'])
    expect(records.join()).not.toContain(secret);
});

describe('starting the Slack channel', () => {
  it.each([
    ['auth.test', 'invalid_auth'],
    ['apps.connections.open', 'invalid_auth'],
    ['apps.connections.open', 'missing_scope'],
    ['auth.test', 'account_inactive'],
  ])('fails for good when %s is refused with %s', async (method, word) => {
    const bench = await openSlackBench();
    onTestEnd(() => bench[Symbol.asyncDispose]());
    bench.slack.server.trouble(refusal(word), isMethod(method), 9);
    await expect(bench.channel.start(listen(bench))).rejects.toMatchObject({
      problem: 'never',
      stopsChannel: true,
      message: `Slack refused ${method}: ${word}.`,
    });
  });

  it('fails for good with the token of another account', async () => {
    const [slack, other] = [await startFakeSlack(), await startFakeSlack()];
    const settings = settingsFor(slack, { bot_token: new Secret(other.workspace.botToken) });
    const channel = create(givenFor(slack, { settings }));
    await expect(channel.start(listen({} as never))).rejects.toMatchObject({ problem: 'never' });
    await channel.stop();
    for (const one of [slack, other]) await one[Symbol.asyncDispose]();
  });

  it.each([
    [{ mode: 'socket', app_token: undefined }, /needs "app_token"/],
    [{ mode: 'http', signing_secret: undefined }, /needs "signing_secret"/],
  ] as const)('fails for good with the settings %o', async (more, sentence) => {
    const slack = await startFakeSlack();
    const channel = create(givenFor(slack, { settings: settingsFor(slack, more as never) }));
    const error = await channel.start(listen({} as never)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ problem: 'never', message: expect.stringMatching(sentence) });
    await slack[Symbol.asyncDispose]();
  });

  it('is tried again later when Slack says no hello', async () => {
    const bench = await openSlackBench();
    onTestEnd(() => bench[Symbol.asyncDispose]());
    bench.slack.sockets.greets = false;
    await expect(bench.channel.start(listen(bench))).rejects.toMatchObject({ problem: 'later' });
    bench.slack.sockets.greets = true;
    await bench.channel.stop();
    await bench.channel.start(listen(bench));
  });
});

describe('stopping the Slack channel', () => {
  it('is quick when Slack answers nothing any more, and leaves no socket', async () => {
    const slack = await startFakeSlack();
    const channel = create(givenFor(slack, { clock: systemClock }));
    await channel.start(listen({} as never));
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    const before = sockets();
    slack.sockets.deafen();
    const at = performance.now();
    await channel.stop();
    expect(performance.now() - at).toBeLessThan(2_000);
    await slack[Symbol.asyncDispose]();
    await expect.poll(sockets).toBeLessThan(before);
  });

  it.each(['auth.test', 'apps.connections.open'])('ends a start that waits for %s', async (method) => {
    const bench = await openSlackBench({ given: { clock: systemClock } });
    onTestEnd(() => bench[Symbol.asyncDispose]());
    bench.slack.server.trouble('hang', isMethod(method));
    const started = bench.channel.start(listen(bench)).catch(() => 'ended');
    await expect.poll(() => bench.slack.server.calls.some(isMethod(method))).toBe(true);
    await bench.channel.stop();
    expect(await started).toBe('ended');
  });

  it('ends a new connection that is being opened, which then stays closed', async () => {
    const { slack, channel } = await startSlack();
    slack.server.trouble({ delayMs: 100 }, CONNECT);
    slack.sockets.cut();
    await expect.poll(() => slack.server.calls.filter(CONNECT)).toHaveLength(2);
    await channel.stop();
    await expect.poll(() => slack.sockets.open).toBe(0);
  });

  it('forgets a message that could not be kept, which Slack gives again', async () => {
    const { slack, channel, ingress } = await startSlack({
      take: async () => {
        throw new Error('The disk is full.');
      },
    });
    const id = slack.say('one');
    await expect.poll(() => ingress.heard.length).toBeGreaterThan(1);
    await channel.stop();
    const second = listen({} as never);
    await channel.start(second);
    await expect.poll(() => slack.isAcknowledged(id)).toBe(true);
    expect(second.heard).toHaveLength(1);
  });
});

it('two Slack bots in one process do not mix', async () => {
  const [one, two] = [await startSlack(), await startSlack()];
  one.slack.say('to one');
  two.slack.say('to two');
  await expect.poll(() => [one.ingress.heard.length, two.ingress.heard.length]).toEqual([1, 1]);
  expect([one.ingress.heard[0]?.text, two.ingress.heard[0]?.text]).toEqual(['to one', 'to two']);
  await one.channel.stop();
  two.slack.say('still there');
  await expect.poll(() => two.ingress.heard).toHaveLength(2);
});
