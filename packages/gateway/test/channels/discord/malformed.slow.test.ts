import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/log.ts';
import { malformed } from '../malformed.ts';
import { createFastClock, type DiscordBench, startDiscord } from './bench.ts';

async function startLogged(): Promise<DiscordBench & { readonly codes: unknown[] }> {
  const codes: unknown[] = [];
  const warn = (_message: string, fields?: { readonly code?: unknown }): void =>
    void codes.push(fields?.code);
  const log = { ...silentLogger, warn, error: warn };
  return { ...(await startDiscord({ given: { clock: createFastClock(), log } })), codes };
}

async function hearsAgain({ fake, ingress }: DiscordBench): Promise<void> {
  fake.say('after it');
  await until(() => ingress.heard.some(({ text }) => text === 'after it'), 'the message after it', 15_000);
}

describe.concurrent('malformed input from Discord', () => {
  it.each([
    '{"op":0,"t":"READY","s":1,"d":null}',
    '{"op":0,"t":"READY","s":1,"d":{"session_id":"x","resume_gateway_url":"nowhere"}}',
    '{"op":9}',
    '{"op":9,"d":null}',
    '{"op":10,"d":null}',
    '{"op":10,"d":{"heartbeat_interval":1e300}}',
    '{"op":10,"d":{"heartbeat_interval":41250}}',
    '{"op":0,"t":"MESSAGE_CREATE","s":1e300,"d":{}}',
    '{"op":0,"t":"MESSAGE_CREATE","d":{}}',
    '{"op":"0"}',
    'no JSON',
    '[]',
    'null',
    '5',
  ])('is logged, and its connection is opened again, after the frame %s', async (frame) => {
    const bench = await startLogged();
    bench.fake.gateway.sendFrame(frame);
    await until(() => bench.codes.includes('channel-frame-unreadable'), 'the warning');
    await hearsAgain(bench);
    expect(bench.codes).toEqual(['channel-frame-unreadable']);
    expect(bench.fake.world.identifies).toBe(1);
  });

  it('begins a new session when each resume of the old one ends in a malformed frame', async () => {
    const bench = await startLogged();
    const { gateway, world } = bench.fake;
    for (let time = 1; time <= 3; time += 1) {
      await until(() => gateway.connections === 1 && world.resumes === time - 1, 'the connection', 15_000);
      gateway.sendFrame('[]');
      await until(() => bench.codes.length === time, 'the warning');
    }
    await until(() => world.identifies === 2, 'a new session', 20_000);
    await hearsAgain(bench);
  }, 40_000);

  it.each([{}, { id: 5.5 }, { id: 'x' }])(
    'in the name of the bot (%j) makes the start fail',
    async (body) => {
      const { fake, channel, ingress } = await startDiscord();
      await channel.stop();
      fake.server.trouble({ status: 200, body }, ({ path }) => path.endsWith('/applications/@me'));
      await expect(channel.start(ingress)).rejects.toMatchObject({
        message: 'Discord did not say who the bot is.',
      });
    },
  );

  it('of any shape in an event is left out, and the events after it are taken', async () => {
    const bench = await startLogged();
    const { fake, ingress } = bench;
    const message = {
      ...{ id: '900', channel_id: fake.place, type: 0, content: '<@1> hello', mention_roles: [] },
      author: { id: '77', username: 'ada', global_name: 'Ada' },
      mentions: [{ id: '1', username: 'x' }],
      attachments: [{ id: '5', filename: 'a.txt', url: 'http://127.0.0.1:1/a', size: 1 }],
      message_reference: { type: 0, message_id: '3' },
    };
    const interaction = {
      ...{ id: '901', application_id: '1', type: 2, token: 'x', channel_id: fake.place },
      ...{ channel: { id: fake.place, type: 1 }, user: { id: '77', username: 'ada' } },
      data: { id: '1', type: 1, name: 'stop', options: [{ name: 'argument', type: 3, value: 'a' }] },
    };
    const press = { ...interaction, type: 3, data: { custom_id: 'key', component_type: 2 } };
    const guild = {
      id: '4',
      roles: [{ id: '5', tags: { bot_id: '1' } }],
      channels: [{ id: '6' }],
      threads: [],
    };
    const events = Object.entries({
      MESSAGE_CREATE: [message],
      INTERACTION_CREATE: [interaction, press],
      GUILD_CREATE: [guild],
      THREAD_CREATE: [{ id: '7', guild_id: '4', parent_id: '6', type: 11 }],
    });
    const [session] = fake.world.sessions.values();
    for (const [t, samples] of events)
      for (const sample of samples)
        for (const d of malformed(sample)) {
          const event = { s: (session?.events.length ?? 0) + 1, t, d: d as Record<string, unknown> };
          session?.events.push(event);
          fake.gateway.sendFrame(JSON.stringify({ op: 0, ...event }));
        }
    await hearsAgain(bench);
    expect(bench.codes).not.toContain('channel-frame-unreadable');
    expect(ingress.heard.every(({ sender }) => /^\d+$/.test(sender))).toBe(true);
  });

  it.each([null, {}, { url: 'nowhere' }, { url: 'ws://127.0.0.1:1', session_start_limit: null }])(
    'in the address of its gateway (%j) makes the start fail',
    async (body) => {
      const { fake, channel, ingress } = await startDiscord();
      await channel.stop();
      fake.server.trouble({ status: 200, body: JSON.stringify(body) }, ({ path }) =>
        path.endsWith('/gateway/bot'),
      );
      await expect(channel.start(ingress)).rejects.toMatchObject({ name: 'SendError' });
    },
  );
});
