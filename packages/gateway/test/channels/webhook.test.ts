import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Channel, HookReply } from '../../src/channels/channel.ts';
import { secretProblem, signWebhook, webhookProblem } from '../../src/channels/webhook/signature.ts';
import { create, prove } from '../../src/channels/webhook/webhook.ts';
import { systemClock } from '../../src/clock.ts';
import { Secret } from '../../src/config/secret.ts';
import { silentLogger } from '../../src/log.ts';
import { startBench } from '../harness.ts';
import type { ChannelBench, Failure } from './channel-suite.ts';
import { describeChannel } from './channel-suite.ts';
import { BUSY_MS, listen } from './suite/bench.ts';

const SECRET = `whsec_${randomBytes(24).toString('base64')}`;

interface Shown {
  readonly id: string;
  text: string;
  readonly media: readonly unknown[];
}

/** A program of the kind that people write: it takes signed posts and drops ids that it has seen. */
async function startProgram() {
  const shown: Shown[] = [];
  const troubles: Failure[] = [];
  let calls = 0;
  const server = createServer((request, response) => {
    void bytesOf(request).then((body) => {
      calls += 1;
      const trouble = troubles.shift();
      if (trouble === 'lost') return response.destroy();
      if (trouble === 'busy') return response.writeHead(429, { 'retry-after': String(BUSY_MS / 1000) }).end();
      if (trouble === 'forbidden') return response.writeHead(403).end();
      if (trouble === 'key refused') return response.writeHead(410).end();
      const problem = webhookProblem(SECRET, request.headers, Date.now() / 1000, body);
      if (problem !== undefined) return response.writeHead(401).end(problem);
      const said = JSON.parse(body.toString()) as { type: string; id: string; platformId: string } & Shown;
      const status = take(shown, said);
      if (trouble === 'cut') return response.destroy();
      return response.writeHead(status).end(JSON.stringify({ platformId: said.id }));
    });
  });
  const open = (port: number): Promise<void> =>
    new Promise((resolve) => void server.listen(port, '127.0.0.1', resolve));
  await open(0);
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}/in`, shown, troubles, close, calls: () => calls };
}

function take(shown: Shown[], said: { type: string; platformId: string } & Shown): number {
  if (said.type === 'edit') {
    const found = shown.find(({ id }) => id === said.platformId);
    if (found !== undefined) found.text = said.text;
    return found === undefined ? 404 : 200;
  }
  if (!shown.some(({ id }) => id === said.id))
    shown.push({ id: said.id, text: said.text, media: said.media });
  return 200;
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function createWebhook(url: string, secret = SECRET): Channel {
  const settings = {
    url,
    secret: new Secret(secret),
    private: true,
    text_length: 4_000,
    edits: true,
    drops_repeats: true,
    buttons: 3,
  };
  return create({
    name: 'hook',
    settings,
    sessions: 'thread',
    progress: 'message',
    commands: [],
    mediaBytes: 1_000_000,
    clock: systemClock,
    log: silentLogger,
  });
}

let hooks = 0;

/** Posts to the channel as a program does, and repeats what was not acknowledged. */
async function post(channel: Channel, value: unknown, id = `h${++hooks}`): Promise<HookReply> {
  const body = Buffer.from(JSON.stringify(value));
  const headers = { ...signWebhook(SECRET, id, Math.floor(Date.now() / 1000), body) };
  const request = { method: 'POST', query: new URLSearchParams(), headers, body } as const;
  for (let tries = 0; ; tries += 1) {
    const reply = await channel.receiveHook?.(request).catch(() => ({ status: 500 }));
    if (reply === undefined || reply.status < 500 || tries === 50) return reply ?? { status: 0 };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a webhook in front of a gateway', () => {
  it('answers 409 where an id comes again with another text, and 204 where it comes again', async () => {
    const program = await startProgram();
    onTestFinished(program.close);
    const channel = createWebhook(program.url);
    await startBench({ channels: [channel] });
    const say = (text: string, id: string) =>
      post(channel, { type: 'message', place: 'hall', sender: '7', text }, id);
    for (const first of ['one', '/status']) {
      const id = `used-${first}`;
      expect(await say(first, id)).toEqual({ status: 204 });
      expect(await say(first, id)).toEqual({ status: 204 });
      for (const other of ['two', '/help'])
        expect(await say(other, id)).toEqual({
          status: 409,
          body: 'Something else was said here with this id. Give what is new an id of its own.',
        });
    }
  });
});

async function openBench(): Promise<ChannelBench> {
  const program = await startProgram();
  const channel = createWebhook(program.url);
  const acknowledged = new Set<string>();
  return {
    channel,
    place: 'hall',
    sessionId: 's1',
    note: async () => 1,
    dropsRepeats: true,
    seen: async () =>
      program.shown.map(({ id, text, media }) => ({ platformId: id, text, files: media.length })),
    people: {
      say(text) {
        const id = `h${++hooks}`;
        void post(channel, { type: 'message', place: 'hall', sender: '7', text }, id).then(({ status }) => {
          if (status === 204) acknowledged.add(id);
        });
        return id;
      },
      isAcknowledged: (id) => acknowledged.has(id),
    },
    fail: (failure) => (failure === 'unreachable' ? program.close() : void program.troubles.push(failure)),
    remove: (id) =>
      void program.shown.splice(
        program.shown.findIndex((one) => one.id === id),
        1,
      ),
    calls: program.calls,
    async [Symbol.asyncDispose]() {
      await channel.stop();
      await program.close();
    },
  };
}

describeChannel('webhook', openBench);

describe('a signed webhook', () => {
  const at = 1_700_000_000;
  const body = Buffer.from('{"text":"café"}');

  it('has the signature of Standard Webhooks', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const headers = signWebhook(
      secret,
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330,
      '{"test": 2432232314}',
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it.each([
    ['a changed byte', (): Buffer => Buffer.from('{"text":"cafe"}'), {}, at],
    ['a missing header', (): Buffer => body, { 'webhook-signature': undefined }, at],
    ['another id', (): Buffer => body, { 'webhook-id': 'other' }, at],
    ['a request of six minutes ago', (): Buffer => body, {}, at + 360],
    ['a clock that is six minutes behind', (): Buffer => body, {}, at - 360],
    ['a signature of another length', (): Buffer => body, { 'webhook-signature': 'v1,AAAA' }, at],
  ])('is refused with %s', (_title, bytes, changed, now) => {
    const headers = { ...signWebhook(SECRET, 'm1', at, body), ...changed };
    expect(webhookProblem(SECRET, headers, now, bytes())).toEqual(expect.any(String));
  });

  it('is accepted when one of two signatures fits, while a key is changed', () => {
    const headers = signWebhook(SECRET, 'm1', at, body);
    const both = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` };
    expect(webhookProblem(SECRET, both, at + 60, body)).toBeUndefined();
  });

  it('needs a secret that is long enough', async () => {
    expect(secretProblem('short')).toMatch(/5 bytes/);
    expect(secretProblem(SECRET)).toBeUndefined();
    const channel = createWebhook('http://127.0.0.1:9/', 'short');
    await expect(channel.start(listen({} as ChannelBench))).rejects.toMatchObject({ problem: 'never' });
  });
});

describe('the webhook channel', () => {
  const opened = async () => {
    const bench = await openBench();
    const ingress = listen(bench);
    await bench.channel.start(ingress);
    return { ...bench, ingress };
  };

  it('takes messages of groups, files and replies', async () => {
    const { channel, ingress } = await opened();
    const files = [{ name: 'a.txt', type: 'text/plain', data: Buffer.from('bytes').toString('base64') }];
    const group = { place: 'g', addressed: true };
    const said = {
      type: 'message',
      place: 'g/1',
      sender: '7',
      senderName: 'Ada',
      group,
      repliesTo: 'p1',
      files,
    };
    expect((await post(channel, { ...said, unknown: true })).status).toBe(204);
    expect(ingress.heard[0]).toMatchObject({
      place: 'g/1',
      senderName: 'Ada',
      group,
      repliesTo: 'p1',
      text: '',
    });
    await channel.stop();
  });

  it('passes presses on, and answers what became of them', async () => {
    const { channel, ingress } = await opened();
    const reply = await post(channel, { type: 'press', place: 'hall', sender: '7', key: 'q:0' });
    expect(reply).toMatchObject({ status: 200, type: 'application/json' });
    expect(ingress.pressed).toEqual([{ place: 'hall', sender: '7', key: 'q:0' }]);
    await channel.stop();
  });

  it.each([
    ['no JSON', 'nonsense', /not JSON/],
    ['an unknown type', { type: 'dance' }, /"type" is wrong/],
    ['a message without a place', { type: 'message', sender: '7', text: 'x' }, /"place" is wrong/],
  ])('refuses %s with a sentence', async (_title, value, sentence) => {
    const { channel, ingress } = await opened();
    const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    const headers = { ...signWebhook(SECRET, 'm1', Math.floor(Date.now() / 1000), body) };
    const reply = await channel.receiveHook?.({
      method: 'POST',
      query: new URLSearchParams(),
      headers,
      body,
    });
    expect(reply?.status).toBe(400);
    expect(reply?.body).toMatch(sentence);
    expect(ingress.heard).toEqual([]);
    await channel.stop();
  });

  it('hears nobody before it is started and after it is stopped', async () => {
    const { channel } = await opened();
    await channel.stop();
    const body = Buffer.from('{}');
    const headers = { ...signWebhook(SECRET, 'm1', 1, body) };
    const request = { method: 'POST', query: new URLSearchParams(), headers, body } as const;
    expect((await channel.receiveHook?.(request))?.status).toBe(503);
  });

  it('does not post to private addresses unless that is said', async () => {
    const { channel: open } = await opened();
    await open.stop();
    const settings = {
      url: 'http://localhost:9/in',
      secret: new Secret(SECRET),
      private: false,
      text_length: 4_000,
      edits: false,
      drops_repeats: false,
      buttons: 0,
    };
    for (const url of [
      settings.url,
      'http://127.0.0.1:9/',
      'http://[::1]:9/',
      'http://10.0.0.1/',
      'http://169.254.169.254/',
    ]) {
      const channel = create({
        ...{ name: 'hook', settings: { ...settings, url }, sessions: 'thread', progress: 'off' },
        ...{ commands: [], mediaBytes: 1, clock: systemClock, log: silentLogger },
      });
      await channel.start(listen({} as ChannelBench));
      const context = { id: 'd1', sessionId: 's1', attempt: 1, signal: AbortSignal.timeout(5_000) };
      await expect(
        channel.send('hall', { kind: 'message', text: 'x', media: [] }, context),
      ).rejects.toMatchObject({
        problem: 'later',
        message: expect.stringContaining('private'),
      });
      await channel.stop();
    }
  });

  it.each([301, 307])(
    'follows no redirect of %i: its body goes to no address that is not configured',
    async (status) => {
      const paths: (string | undefined)[] = [];
      const server = createServer((request, response) => {
        paths.push(request.url);
        request.resume();
        response.writeHead(status, { location: '/elsewhere' }).end();
      });
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const channel = createWebhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/in`);
      await channel.start(listen({} as ChannelBench));
      const context = { id: 'd1', sessionId: 's1', attempt: 1, signal: AbortSignal.timeout(5_000) };
      await expect(
        channel.send('hall', { kind: 'message', text: 'x', media: [] }, context),
      ).rejects.toMatchObject({
        problem: 'never',
        stopsChannel: false,
        message: `The address answered ${status}.`,
      });
      expect(paths).toEqual(['/in']);
      await channel.stop();
    },
  );

  it('proves nothing but its settings', async () => {
    const settings = { url: 'https://chat.example/in', secret: new Secret(SECRET) };
    const proof = await prove({ settings: settings as Parameters<typeof prove>[0]['settings'] });
    expect(proof).toMatchObject({ name: 'chat.example', remarks: [] });
  });
});
