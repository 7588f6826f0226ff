import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { onTestEnd, temporaryDirectory, tooMany, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Outgoing } from '../../../src/channels/channel.ts';
import { create } from '../../../src/channels/discord/discord.ts';
import { Secret } from '../../../src/config/secret.ts';
import { contextFor, givenFor, listenFor, settingsFor, startDiscord } from './bench.ts';

const isSend = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'POST' && path.endsWith('/messages');

async function caught(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a message to Discord', () => {
  it('notifies nobody, neither when it is sent nor when it is edited', async () => {
    const { fake, channel, send } = await startDiscord();
    const { platformId = '' } = await send('@everyone and <@123456789012345678>');
    await channel.edit?.(fake.place, platformId, { kind: 'message', text: '@here', media: [] });
    expect(fake.shown()[0]?.text).toBe('@here');
    expect(fake.world.pings).toEqual([]);
  });

  it.each([
    ['user', { problem: 'later', afterMs: 1_500, scope: 'place' }],
    ['shared', { problem: 'later', afterMs: 1_500, scope: 'place' }],
    ['global', { problem: 'later', afterMs: 1_500, scope: 'channel' }],
  ] as const)('that meets the rate limit "%s" is to be sent later', async (scope, wanted) => {
    const { fake, send } = await startDiscord();
    fake.server.trouble(tooMany(1.5, scope), isSend);
    expect(await caught(send('one'))).toMatchObject(wanted);
    expect(fake.server.calls.filter(isSend)).toHaveLength(1);
  });

  it('is not sent while the bucket of its channel is empty, and other channels are', async () => {
    const { fake, send } = await startDiscord({ fake: { sendsPerWindow: 2 } });
    await send('one');
    await send('two');
    const error = await caught(send('three'));
    expect(error).toMatchObject({ problem: 'later', scope: 'place' });
    expect((error as { afterMs: number }).afterMs).toBeGreaterThan(3_000);
    expect(fake.server.calls.filter(isSend)).toHaveLength(2);
    await send('elsewhere', fake.textChannel);
    expect(fake.server.calls.filter(isSend)).toHaveLength(3);
  });

  it.each([
    ['later', { status: 400, body: { code: 20_016, message: 'slow mode' } }],
    ['later', { status: 403, body: { code: 40_006, message: 'switched off' } }],
    ['never', { status: 400, body: { code: 50_006, message: 'empty' } }],
    ['never', { status: 413, body: '<html>too large</html>' }],
    ['never', { status: 403, body: { code: 50_007, message: 'Cannot send messages to this user' } }],
    ['never', { status: 404, body: { code: 10_003, message: 'Unknown Channel' } }],
    ['unknown', { status: 500, body: { code: 0, message: 'oh' }, taken: true }],
    ['unknown', { status: 502, body: '<html>bad gateway</html>' }],
    ['unknown', { status: 403, body: '<html>a proxy says no</html>' }],
    ['unknown', { status: 200, body: '<html>a captive portal</html>' }],
    ['unknown', { status: 200, body: {} }],
    ['unknown', { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }],
    ['unknown', 'hang'],
  ] as const)('is %s after %j, with one call', async (problem, trouble) => {
    const { fake, channel } = await startDiscord();
    fake.server.trouble(trouble, isSend, 9);
    const end = new AbortController();
    const sending = caught(
      channel.send(
        fake.place,
        { kind: 'message', text: 'one', media: [] },
        {
          ...contextFor(),
          signal: end.signal,
        },
      ),
    );
    await until(() => fake.server.calls.some(isSend), 'the call');
    if (trouble === 'hang') end.abort();
    expect(await sending).toMatchObject({ problem, stopsChannel: false });
    expect(fake.server.calls.filter(isSend)).toHaveLength(1);
  });

  it('leaves no connection when it is aborted', async () => {
    const { fake, channel } = await startDiscord();
    fake.server.trouble('hang', isSend);
    const end = new AbortController();
    const context = { ...contextFor(), signal: end.signal };
    const sending = caught(channel.send(fake.place, { kind: 'message', text: 'one', media: [] }, context));
    await until(() => fake.server.calls.some(isSend), 'the call');
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    const before = sockets();
    end.abort();
    await sending;
    await until(() => sockets() < before, 'the connection to be gone');
  });

  it('to a forum, a locked thread or a hidden channel will never be sent; one to an archived thread is', async () => {
    const { fake, send, channel } = await startDiscord();
    const locked = fake.createThread(fake.textChannel);
    locked.locked = true;
    const hidden = fake.createThread(fake.textChannel);
    hidden.hidden = true;
    for (const place of [fake.forum, locked.id, hidden.id])
      expect(await caught(send('one', place))).toMatchObject({ problem: 'never', stopsChannel: false });
    const archived = fake.createThread(fake.forum);
    const { platformId = '' } = await send('one', archived.id);
    archived.archived = true;
    const body = { kind: 'message', text: 'two', media: [] } as const;
    expect(await caught(channel.edit?.(archived.id, platformId, body) ?? Promise.resolve())).toMatchObject({
      problem: 'never',
    });
    await send('two', archived.id);
    expect(fake.shown(archived.id).map(({ text }) => text)).toEqual(['one', 'two']);
  });

  it('is shown once when it is sent again under the same id after a lost answer', async () => {
    const { fake, send } = await startDiscord();
    fake.server.trouble('cut', isSend);
    expect(await caught(send('one', fake.place, 'd1'))).toMatchObject({ problem: 'unknown' });
    const { platformId } = await send('one', fake.place, 'd1');
    expect(fake.shown().map((one) => one.platformId)).toEqual([platformId]);
    await send('one', fake.place, 'd2');
    expect(fake.shown()).toHaveLength(2);
  });

  it('is sent as plain text at once when Discord refuses the rendered text', async () => {
    const { fake, send } = await startDiscord();
    const errors = { content: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'too long' }] } };
    const body = { code: 50_035, message: 'Invalid Form Body', errors };
    fake.server.trouble({ status: 400, body }, isSend);
    await send('1 * 2');
    const texts = fake.server.calls.filter(isSend).map(({ body: sent }) => JSON.parse(String(sent)).content);
    expect(texts).toEqual(['1 \\* 2', '1 * 2']);
    expect(fake.shown()).toHaveLength(1);
  });

  it('is sent as it was written where escapes would make it too long', async () => {
    const { fake, send } = await startDiscord();
    const text = 'a | '.repeat(475);
    await send(text);
    expect(fake.shown()).toHaveLength(1);
    expect(fake.server.calls.filter(isSend)).toHaveLength(1);
  });

  it('carries ten files, and names one that is over 10 MiB or for which there is no room', async () => {
    const { fake, channel } = await startDiscord();
    using directory = temporaryDirectory();
    const mebibyte = 1024 * 1024;
    const write = (name: string, size: number) => {
      const path = join(directory.path, name);
      writeFileSync(path, Buffer.alloc(size));
      return { kind: 'file', path, name } as const;
    };
    const ten = Array.from({ length: 10 }, (_, index) => write(`${index}.bin`, 10));
    const body = (media: Outgoing['media']): Outgoing => ({ kind: 'message', text: 'Here.', media });
    await channel.send(fake.place, body(ten), contextFor());
    expect(fake.shown()[0]?.files).toHaveLength(10);
    const large = [write('big.bin', 10 * mebibyte + 1), write('fits.bin', 9 * mebibyte)];
    const many = [...large, write('too.bin', 9 * mebibyte), write('third.bin', 9 * mebibyte)];
    await channel.send(fake.place, body(many), contextFor());
    expect(fake.shown()[1]).toMatchObject({
      files: ['fits.bin', 'too.bin'],
      text: 'Here.\n[big.bin was left out: Discord takes files of up to 10 MiB.]\n[third.bin was left out: Discord takes up to 25 MiB in one message.]',
    });
  });

  it('shows the sign of typing in its place', async () => {
    const { fake, channel } = await startDiscord();
    await channel.typing?.(fake.textChannel);
    expect(fake.world.typings).toEqual([fake.textChannel]);
  });

  it('waits where too many old messages were edited', async () => {
    const { fake, channel, send } = await startDiscord();
    const { platformId = '' } = await send('one');
    const body = {
      code: 30_046,
      message: 'Maximum number of edits to messages older than 1 hour',
      retry_after: 3,
    };
    fake.server.trouble({ status: 429, body }, ({ method }) => method === 'PATCH');
    const error = await caught(
      channel.edit?.(fake.place, platformId, { kind: 'message', text: 'two', media: [] }) ??
        Promise.resolve(),
    );
    expect(error).toMatchObject({ problem: 'later', afterMs: 3_000 });
  });
});

describe('the token of a bot', () => {
  it('that is refused stops the channel, and a channel with a new one works', async () => {
    const { fake, send, channel } = await startDiscord();
    fake.setToken('new.token.here');
    expect(await caught(send('one'))).toMatchObject({ problem: 'never', stopsChannel: true });
    expect(await caught(send('one'))).toMatchObject({ problem: 'never', stopsChannel: true });
    await channel.stop();
    const settings = { ...settingsFor(fake), token: new Secret('new.token.here') };
    const renewed = create(givenFor(fake, { settings }));
    onTestEnd(() => renewed.stop());
    await renewed.start(listenFor());
    await renewed.send(fake.place, { kind: 'message', text: 'two', media: [] }, contextFor());
    expect(fake.shown().map(({ text }) => text)).toEqual(['two']);
  });

  it('stands in no error and no cause of one', async () => {
    const { fake, send } = await startDiscord();
    const token = String(fake.settings.token);
    const troubles = [
      'lose',
      'cut',
      tooMany(1, 'user'),
      { status: 500 },
      { status: 401 },
      { status: 400 },
    ] as const;
    for (const trouble of troubles) fake.server.trouble(trouble, isSend);
    for (const _ of troubles) {
      const error = await caught(send('one'));
      expect(error).toBeInstanceOf(Error);
      const shown = inspect(error, { depth: 20, showHidden: true });
      expect(shown).not.toContain(token);
      expect(shown).not.toContain(token.split('.')[2]);
      expect((error as Error).cause).toBeUndefined();
    }
    await fake.server.down();
    expect(inspect(await caught(send('one')), { depth: 20, showHidden: true })).not.toContain(token);
  });
});
