import { createHmac } from 'node:crypto';
import { onTestEnd, startFakeWhatsapp, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { IncomingFile } from '../../../src/channels/channel.ts';
import { listen } from '../suite/bench.ts';
import { createWhatsapp, openWhatsapp, startWhatsapp } from './bench.ts';

async function bytesOf(file: IncomingFile | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file?.bytes ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const POST = { method: 'POST', query: new URLSearchParams() } as const;

describe('a webhook of WhatsApp', () => {
  it('is accepted by the signature over its escaped bytes', async () => {
    const { platform, ingress } = await startWhatsapp();
    const id = platform.say('café / 👩‍👩‍👧‍👦');
    await until(() => platform.isAcknowledged(id), 'the platform to know');
    expect(ingress.heard.map(({ text }) => text)).toEqual(['café / 👩‍👩‍👧‍👦']);
  });

  it.each([
    ['a changed byte', (body: Buffer) => Buffer.concat([body, Buffer.from(' ')])],
    ['no signature', (body: Buffer) => body],
  ])('is refused with %s, and nothing is kept', async (title, change) => {
    const { platform, ingress } = await startWhatsapp();
    const body = Buffer.from('{"object":"whatsapp_business_account","entry":[]}');
    const signature = title === 'no signature' ? undefined : platform.webhooks.sign(body);
    expect(await platform.webhooks.post(change(body), signature)).toMatchObject({ status: 401 });
    expect(await platform.webhooks.post(body, platform.webhooks.sign(body))).toMatchObject({ status: 200 });
    expect(ingress.heard).toEqual([]);
  });

  it('is refused with the signature of another app', async () => {
    const { platform, channel } = await startWhatsapp();
    const body = Buffer.from('{"object":"whatsapp_business_account","entry":[]}');
    const other = `sha256=${createHmac('sha256', 'other').update(body).digest('hex')}`;
    const headers = { 'x-hub-signature-256': other };
    expect(await channel.receiveHook?.({ ...POST, headers, body })).toMatchObject({ status: 401 });
    expect(platform.shown()).toEqual([]);
  });

  it('that is signed and no webhook of WhatsApp is answered with 400', async () => {
    const { platform } = await startWhatsapp();
    for (const text of ['{"object":"page"}', '[]', 'no json', '"\ud800"']) {
      const body = Buffer.from(text);
      expect(await platform.webhooks.post(body, platform.webhooks.sign(body))).toMatchObject({ status: 400 });
    }
  });

  it('comes again when the channel has not been started', async () => {
    const bench = await openWhatsapp();
    onTestEnd(() => bench[Symbol.asyncDispose]());
    const id = bench.platform.say('early');
    const ingress = listen(bench);
    await bench.channel.start(ingress);
    await until(() => bench.platform.isAcknowledged(id), 'the platform to know');
    expect(ingress.heard.map(({ text }) => text)).toEqual(['early']);
  });

  it('for another phone number of the account is left to it', async () => {
    const { platform, ingress } = await startWhatsapp();
    const body = Buffer.from(
      JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [
          {
            changes: [
              {
                field: 'messages',
                value: {
                  metadata: { phone_number_id: '1' },
                  messages: [{ id: 'w', from: '4', type: 'text', text: { body: 'x' } }],
                },
              },
            ],
          },
        ],
      }),
    );
    expect(await platform.webhooks.post(body, platform.webhooks.sign(body))).toMatchObject({ status: 200 });
    expect(ingress.heard).toEqual([]);
  });

  it('with several messages comes again whole when one is not kept, and each is kept in order', async () => {
    const bench = await openWhatsapp();
    onTestEnd(() => bench[Symbol.asyncDispose]());
    let refusals = 0;
    const ingress = listen(bench, async ({ text }) => {
      if (text !== 'two' || refusals > 0) return;
      refusals += 1;
      throw new Error('The disk is full.');
    });
    await bench.channel.start(ingress);
    const entry = (text: string) => ({ from: bench.place, type: 'text', text: { body: text } });
    const ids = bench.platform.batch([entry('one'), entry('two'), entry('three')]);
    await until(() => bench.platform.isAcknowledged(ids[2] ?? ''), 'the platform to know');
    expect(ingress.heard.map(({ text }) => text)).toEqual(['one', 'two', 'one', 'two', 'three']);
  });

  it('that comes twice at once is kept by one call', async () => {
    const bench = await openWhatsapp();
    onTestEnd(() => bench[Symbol.asyncDispose]());
    const kept = Promise.withResolvers<void>();
    const ingress = listen(bench, () => kept.promise);
    await bench.channel.start(ingress);
    const value = {
      metadata: { phone_number_id: bench.platform.settings.phone_number_id },
      messages: [{ id: 'w1', from: bench.place, type: 'text', text: { body: 'once' } }],
    };
    const body = Buffer.from(
      JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ changes: [{ field: 'messages', value }] }],
      }),
    );
    const posts = [1, 2].map(() => bench.platform.webhooks.post(body, bench.platform.webhooks.sign(body)));
    await until(() => ingress.heard.length === 1, 'it to be heard');
    kept.resolve();
    expect((await Promise.all(posts)).map(({ status }) => status)).toEqual([200, 200]);
    expect(ingress.heard).toHaveLength(1);
  });
});

describe('the set-up of the webhook', () => {
  const challenge = async (query: Record<string, string>) => {
    const { channel } = await startWhatsapp();
    const request = {
      method: 'GET',
      query: new URLSearchParams(query),
      headers: {},
      body: new Uint8Array(),
    } as const;
    return channel.receiveHook?.(request);
  };

  it('repeats the challenge for the verify token', async () => {
    const query = {
      'hub.mode': 'subscribe',
      'hub.verify_token': 'fake-verify-token',
      'hub.challenge': '1158201444',
    };
    expect(await challenge(query)).toEqual({ status: 200, body: '1158201444' });
  });

  it('refuses another verify token', async () => {
    const query = { 'hub.mode': 'subscribe', 'hub.verify_token': 'other', 'hub.challenge': '1' };
    expect(await challenge(query)).toMatchObject({ status: 403 });
  });
});

describe('a message from WhatsApp', () => {
  const heard = async (message: object, options?: { hidesNumbers: boolean }) => {
    const bench = await startWhatsapp(options);
    const [id = ''] = bench.platform.batch([{ from: bench.place, ...message }]);
    await until(() => bench.platform.isAcknowledged(id), 'the platform to know');
    return { ...bench, id, message: bench.ingress.heard[0] };
  };

  it('of a person who hides the number is named by the user id, and answered to it', async () => {
    const { platform, channel, ingress } = await startWhatsapp({ hidesNumbers: true });
    const id = platform.say('hello');
    await until(() => platform.isAcknowledged(id), 'the platform to know');
    expect(ingress.heard[0]).toMatchObject({
      sender: platform.person,
      place: platform.person,
      senderName: 'Ada',
    });
    expect(platform.person).toMatch(/^[A-Z]{2}\./);
    await channel.send(
      platform.place,
      { kind: 'message', text: 'hi', media: [] },
      { id: 'd1', sessionId: 's', attempt: 1, signal: new AbortController().signal },
    );
    const sent = JSON.parse(platform.server.calls.at(-1)?.body.toString() ?? '');
    expect(sent).toMatchObject({ recipient: platform.person });
    expect(sent).not.toHaveProperty('to');
  });

  it('is named by the user id also when the number is told', async () => {
    const { message } = await heard({
      from: '4915112345678',
      from_user_id: 'DE.5',
      type: 'text',
      text: { body: 'x' },
    });
    expect(message).toMatchObject({ sender: 'DE.5', place: 'DE.5' });
  });

  it('moves the pairing and the session when the person has a new user id', async () => {
    const bench = await openWhatsapp();
    onTestEnd(() => bench[Symbol.asyncDispose]());
    const moved: string[][] = [];
    const note = async (...ids: string[]): Promise<void> => void moved.push(ids);
    await bench.channel.start({ ...listen(bench), renameSender: note, movePlace: note });
    const system = { type: 'user_changed_user_id', previous_user_id: 'DE.1', user_id: 'DE.2' };
    const [id = ''] = bench.platform.batch([{ type: 'system', system }]);
    await until(() => bench.platform.isAcknowledged(id), 'the platform to know');
    expect(moved).toEqual([
      ['DE.1', 'DE.2'],
      ['DE.1', 'DE.2'],
    ]);
  });

  it('tells which message it replies to', async () => {
    const { message } = await heard({ type: 'text', text: { body: 'yes' }, context: { id: 'wamid.q' } });
    expect(message).toMatchObject({ text: 'yes', repliesTo: 'wamid.q' });
  });

  it.each([
    [
      'a place',
      { type: 'location', location: { latitude: 52.5, longitude: 13.4, name: 'Berlin' } },
      '📍 Berlin, 52.5, 13.4',
    ],
    [
      'a contact',
      { type: 'contacts', contacts: [{ name: { formatted_name: 'Bo' }, phones: [{ phone: '+1' }] }] },
      '👤 Bo, +1',
    ],
    [
      'a kind that is not handed on',
      { type: 'unsupported', errors: [{ code: 131051 }] },
      '[A message of the kind "unsupported", which WhatsApp does not hand on in full.]',
    ],
  ])('with %s is put into words', async (_title, sent, text) => {
    expect((await heard(sent)).message?.text).toBe(text);
  });

  it('that is a reaction is left out', async () => {
    expect(
      (await heard({ type: 'reaction', reaction: { message_id: 'w', emoji: '👍' } })).ingress.heard,
    ).toEqual([]);
  });

  it('in a group is for the agent when it is a command or a reply to it', async () => {
    const { platform, ingress } = await startWhatsapp();
    const phone = '15550783881';
    const say = (text: string, context?: object) => ({
      from: '4',
      group_id: 'g1',
      type: 'text',
      text: { body: text },
      ...(context && { context }),
    });
    const ids = platform.batch([say('hi all'), say('/new'), say('and?', { id: 'w', from: phone })]);
    await until(() => platform.isAcknowledged(ids[2] ?? ''), 'the platform to know');
    expect(ingress.heard.map(({ place, group }) => [place, group?.addressed])).toEqual([
      ['group:g1', false],
      ['group:g1', true],
      ['group:g1', true],
    ]);
  });
});

describe('a file from WhatsApp', () => {
  it('comes with its bytes, its caption and a name', async () => {
    const { platform, ingress } = await startWhatsapp();
    const id = platform.sendFile('image', {
      mime: 'image/jpeg',
      bytes: Buffer.from('picture'),
      caption: 'look',
    });
    await until(() => platform.isAcknowledged(id), 'the platform to know');
    const [file] = ingress.heard[0]?.files ?? [];
    expect(ingress.heard[0]?.text).toBe('look');
    expect(file).toMatchObject({ name: expect.stringMatching(/^image-\w+\.jpg$/), type: 'image/jpeg' });
    expect(await bytesOf(file)).toBe('picture');
  });

  it('is asked for anew when its address has expired', async () => {
    const { platform, ingress } = await startWhatsapp();
    const id = platform.sendFile('document', {
      name: 'a.txt',
      mime: 'text/plain',
      bytes: Buffer.from('late'),
    });
    await until(() => platform.isAcknowledged(id), 'the platform to know');
    platform.expireAddresses();
    expect(await bytesOf(ingress.heard[0]?.files?.[0])).toBe('late');
  });

  it('that is too large is not downloaded', async () => {
    const platform = await startFakeWhatsapp();
    onTestEnd(() => platform[Symbol.asyncDispose]());
    const channel = createWhatsapp(platform, {}, { mediaBytes: 1_048_576 });
    const ingress = listen({ sessionId: 's1', note: async () => 1 } as never);
    await channel.start(ingress);
    const id = platform.sendFile('video', { mime: 'video/mp4', bytes: Buffer.alloc(1_048_577) });
    await until(() => platform.isAcknowledged(id), 'the platform to know');
    await expect(bytesOf(ingress.heard[0]?.files?.[0])).rejects.toThrow('it is larger than 1 MiB.');
    expect(platform.server.calls.some(({ path }) => path.startsWith('/files/'))).toBe(false);
  });

  it('that the platform no longer has says so when it is read', async () => {
    const { platform, ingress } = await startWhatsapp();
    const [id = ''] = platform.batch([
      {
        from: platform.person,
        type: 'audio',
        audio: { id: '404', mime_type: 'audio/ogg; codecs=opus', voice: true },
      },
    ]);
    await until(() => platform.isAcknowledged(id), 'the platform to know');
    const [file] = ingress.heard[0]?.files ?? [];
    expect(file?.name).toBe('voice-404.ogg');
    await expect(bytesOf(file)).rejects.toThrow('WhatsApp no longer has the voice message.');
  });

  it('is looked up by nobody before it is read, so that strangers cost no call', async () => {
    const { platform, ingress } = await startWhatsapp();
    const id = platform.sendFile('image', { mime: 'image/png', bytes: Buffer.from('x') });
    await until(() => platform.isAcknowledged(id), 'the platform to know');
    expect(ingress.heard).toHaveLength(1);
    expect(platform.server.calls.some(({ path }) => path === '/5000')).toBe(false);
  });

  it('makes the platform give its message again while the API cannot be asked', async () => {
    const bench = await openWhatsapp();
    onTestEnd(() => bench[Symbol.asyncDispose]());
    const ingress = listen(bench, async ({ files }) => {
      await bytesOf(files?.[0]);
    });
    await bench.channel.start(ingress);
    bench.platform.server.trouble({ status: 502, body: '<html>' }, ({ path }) => /^\/\d+$/.test(path), 2);
    const id = bench.platform.sendFile('image', { mime: 'image/png', bytes: Buffer.from('x') });
    await until(() => bench.platform.isAcknowledged(id), 'the platform to know');
    expect(ingress.heard).toHaveLength(3);
  });
});
