import { signSlackRequest } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { HookReply, HookRequest } from '../../../src/channels/channel.ts';
import { hastyClock, type SlackBench, startSlack } from './slack-bench.ts';

const NOW = (): number => Math.floor(Date.now() / 1000);

const EVENT = (text: string, event_id = 'Ev1') => ({
  type: 'event_callback',
  event_id,
  event: { type: 'message', channel: 'D1', channel_type: 'im', user: 'U1', ts: '1.000100', text },
});

function signed({ slack }: SlackBench, payload: unknown, atSecs = NOW()): HookRequest {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const type = { 'content-type': 'application/json' };
  return signSlackRequest(slack.workspace.signingSecret, body, atSecs, type);
}

async function ask({ channel }: SlackBench, request: HookRequest): Promise<HookReply> {
  const reply = await channel.receiveHook?.(request);
  if (reply === undefined) throw new Error('There is no hook.');
  return reply;
}

describe('a signed request of Slack', () => {
  it('is taken when its signature fits the bytes, with unusual escapes as they are', async () => {
    const bench = await startSlack({ http: true });
    const body = JSON.stringify(EVENT('TEXT')).replace('TEXT', 'caf\\u00e9 \\/ ok');
    expect(await ask(bench, signed(bench, body))).toEqual({ status: 200 });
    expect(bench.ingress.heard[0]?.text).toBe('café / ok');
  });

  it.each([
    [
      'one byte was changed',
      (request: HookRequest) => ({ ...request, body: Buffer.from('{"type":"event_callback" }') }),
    ],
    [
      'the signature is missing',
      ({ headers, ...rest }: HookRequest) => ({
        ...rest,
        headers: { ...headers, 'x-slack-signature': undefined },
      }),
    ],
    [
      'the timestamp is missing',
      ({ headers, ...rest }: HookRequest) => ({
        ...rest,
        headers: { ...headers, 'x-slack-request-timestamp': undefined },
      }),
    ],
    [
      'there are two signatures',
      ({ headers, ...rest }: HookRequest) => ({
        ...rest,
        headers: { ...headers, 'x-slack-signature': ['v0=1', 'v0=2'] },
      }),
    ],
    [
      'the signature is that of another secret',
      ({ body }: HookRequest) =>
        signSlackRequest('another secret', Buffer.from(body).toString(), NOW(), {
          'content-type': 'application/json',
        }),
    ],
  ])('is refused when %s, and nothing is kept', async (_title, change) => {
    const bench = await startSlack({ http: true });
    expect((await ask(bench, change(signed(bench, EVENT('x'))))).status).toBe(401);
    expect(bench.ingress.heard).toEqual([]);
  });

  it.each([
    [-10 * 60, 401],
    [10 * 60, 401],
    [-4 * 60, 200],
    [4 * 60, 200],
  ])('that is %i seconds off is answered %i', async (secs, status) => {
    const bench = await startSlack({ http: true });
    expect((await ask(bench, signed(bench, EVENT('x'), NOW() + secs))).status).toBe(status);
  });

  it('is refused where the clock of the gateway is ten minutes off', async () => {
    const clock = { ...hastyClock, date: () => Date.now() + 600_000 };
    const bench = await startSlack({ http: true, given: { clock } });
    expect((await ask(bench, signed(bench, EVENT('x')))).body).toMatch(/five minutes/);
  });

  it('that checks the address is answered with its challenge as plain text', async () => {
    const bench = await startSlack({ http: true });
    const challenge = '<b>3eZbrw1aBm2rZgRNFdxV</b>';
    expect(await ask(bench, signed(bench, { type: 'url_verification', challenge }))).toEqual({
      status: 200,
      body: challenge,
    });
    const long = { type: 'url_verification', challenge: 'x'.repeat(501) };
    expect((await ask(bench, signed(bench, long))).status).toBe(400);
    const unsigned = { ...signed(bench, { type: 'url_verification', challenge }), headers: {} };
    expect((await ask(bench, unsigned)).status).toBe(401);
  });

  it('that is repeated is answered with 200 and taken once', async () => {
    const bench = await startSlack({ http: true });
    const request = signed(bench, EVENT('x'));
    for (let times = 0; times < 3; times += 1) expect((await ask(bench, request)).status).toBe(200);
    expect(bench.ingress.heard).toHaveLength(1);
  });

  it('is answered in time with 503 while its message is not kept, and with 200 afterwards', async () => {
    const kept = Promise.withResolvers<void>();
    const bench = await startSlack({ http: true, take: () => kept.promise });
    const request = signed(bench, EVENT('x'));
    expect((await ask(bench, request)).status).toBe(503);
    kept.resolve();
    expect((await ask(bench, request)).status).toBe(200);
    expect(bench.ingress.heard).toHaveLength(1);
  });

  it.each([
    ['no JSON', 'nonsense', 400],
    ['a list', '[]', 400],
    ['an unknown type', { type: 'dance' }, 200],
    ['an event without fields', { type: 'event_callback' }, 200],
    ['an event of an unknown type', { type: 'event_callback', event: { type: 'dance', user: 7 } }, 200],
    [
      'a message with wrong fields',
      { type: 'event_callback', event: { type: 'message', files: 7, text: {} } },
      200,
    ],
  ])('with %s does no harm', async (_title, payload, status) => {
    const bench = await startSlack({ http: true });
    expect((await ask(bench, signed(bench, payload))).status).toBe(status);
    expect(bench.ingress.heard).toEqual([]);
  });

  it('is not answered by a channel that is stopped, or that has Socket Mode', async () => {
    const bench = await startSlack({ http: true });
    await bench.channel.stop();
    expect((await ask(bench, signed(bench, EVENT('x')))).status).toBe(503);
    expect((await startSlack()).channel.receiveHook).toBeUndefined();
  });

  it('must be a post', async () => {
    const bench = await startSlack({ http: true });
    expect((await ask(bench, { ...signed(bench, EVENT('x')), method: 'GET' })).status).toBe(405);
  });
});
