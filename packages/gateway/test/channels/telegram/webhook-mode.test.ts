import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestEnd, startFakeTelegram, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Channel, HookReply, Inbound } from '../../../src/channels/channel.ts';
import { listen } from '../suite/bench.ts';
import { channelFor, createTestLog } from './telegram-bench.ts';

/** A channel behind an HTTP server, as behind the gateway. */
async function openHook(take: (message: Inbound) => Promise<void> = async () => {}) {
  const platform = await startFakeTelegram();
  const ingress = listen({ sessionId: 's1', note: async () => 1 } as never, take);
  const log = createTestLog();
  const replies: number[] = [];
  let channel: Channel | undefined;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const method = request.method === 'GET' ? 'GET' : 'POST';
    const hook = {
      method,
      query: new URLSearchParams(),
      headers: request.headers,
      body: Buffer.concat(chunks),
    } as const;
    const reply: HookReply = (await channel?.receiveHook?.(hook)) ?? { status: 404 };
    replies.push(reply.status);
    response.writeHead(reply.status).end(reply.body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/telegram`;
  const hooked = channelFor(platform, { log, settings: { mode: 'webhook', url } });
  channel = hooked;
  onTestEnd(async () => {
    await hooked.stop();
    await platform[Symbol.asyncDispose]();
    server.close();
    server.closeAllConnections();
  });
  await hooked.start(ingress);
  return { platform, ingress, channel: hooked, url, log, replies };
}

describe('a channel of Telegram with a webhook', () => {
  it('sets it with a secret, and takes what Telegram posts', async () => {
    const { platform, ingress, url } = await openHook();
    expect(platform.world.webhook).toMatchObject({
      url,
      secret: expect.stringMatching(/^[A-Za-z0-9_-]{40,256}$/),
    });
    expect(platform.world.webhook?.secret).not.toContain(platform.token.slice(12));
    const name = platform.say('hi');
    await until(() => platform.isAcknowledged(name), 'Telegram to know');
    expect(ingress.heard).toMatchObject([{ text: 'hi', messageId: name }]);
    expect(platform.server.calls.some(({ path }) => path.endsWith('/getUpdates'))).toBe(false);
  });

  it('refuses posts without the secret or with another one, and keeps nothing of them', async () => {
    const { ingress, url } = await openHook();
    const body = JSON.stringify({
      update_id: 1,
      message: { message_id: 1, date: 1, chat: { id: 7, type: 'private' }, from: { id: 7 }, text: 'x' },
    });
    const header = 'x-telegram-bot-api-secret-token';
    const post = (headers: Record<string, string>) => fetch(url, { method: 'POST', headers, body });
    const statuses = [
      (await post({})).status,
      (await post({ [header]: 'x'.repeat(43) })).status,
      (await fetch(url)).status,
    ];
    expect(statuses).toEqual([401, 401, 405]);
    expect(ingress.heard).toEqual([]);
  });

  it('answers 400 for what is no update', async () => {
    const { platform, channel } = await openHook();
    const headers = { 'x-telegram-bot-api-secret-token': platform.world.webhook?.secret };
    for (const body of ['no', '[]', '"x"', '\xff'])
      expect(
        await channel.receiveHook?.({
          method: 'POST',
          query: new URLSearchParams(),
          headers,
          body: Buffer.from(body, 'latin1'),
        }),
      ).toMatchObject({ status: 400 });
  });

  it('is given again what it could not keep, before all that follows in the chat', async () => {
    let refusals = 2;
    const kept: string[] = [];
    const { platform, log, replies } = await openHook(async ({ text }) => {
      if (text === 'one' && refusals > 0) {
        refusals -= 1;
        throw new Error('The disk is full.');
      }
      kept.push(text);
    });
    platform.say('one');
    const last = platform.say('two');
    await until(() => platform.isAcknowledged(last), 'Telegram to know');
    expect([kept, replies]).toEqual([
      ['one', 'two'],
      [500, 500, 200, 200],
    ]);
    expect(log.codes).toEqual(['telegram-update-not-kept', 'telegram-update-not-kept']);
  });

  it('takes each file of an album by itself, because Telegram gives the next one only then', async () => {
    const { platform, ingress } = await openHook();
    const photo = [{ file_id: 'f', file_unique_id: 'u' }];
    const names = platform.album([{ photo, caption: 'Three.' }, { photo }, { photo }]);
    await until(() => names.every(platform.isAcknowledged), 'Telegram to know');
    expect(ingress.heard.map(({ text, files }) => [text, files?.length])).toEqual([
      ['Three.', 1],
      ['', 1],
      ['', 1],
    ]);
  });

  it('answers presses', async () => {
    const { platform, channel } = await openHook();
    const buttons = [{ key: 'q:0', label: 'Allow' }];
    const context = { id: 'd', sessionId: 's', attempt: 1, signal: new AbortController().signal };
    const { platformId = '' } = await channel.send(
      platform.place,
      { kind: 'question', text: 'May I?', media: [], buttons },
      context,
    );
    platform.press(platformId, 'Allow');
    await until(() => platform.world.answers.length === 1, 'the answer');
  });

  it('takes no posts before it has started, after it was stopped, or when it polls', async () => {
    const { platform, channel } = await openHook();
    const request = {
      method: 'POST',
      query: new URLSearchParams(),
      headers: {},
      body: Buffer.from('{}'),
    } as const;
    await channel.stop();
    expect(await channel.receiveHook?.(request)).toEqual({ status: 503 });
    const polls = channelFor(platform);
    expect(await polls.receiveHook?.(request)).toEqual({ status: 503 });
  });

  it('needs the address at which Telegram reaches the gateway', async () => {
    await using platform = await startFakeTelegram();
    const channel = channelFor(platform, { settings: { mode: 'webhook' } });
    await expect(channel.start({} as never)).rejects.toMatchObject({
      problem: 'never',
      message: /"url" is needed/,
    });
  });
});
