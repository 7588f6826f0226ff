import { closeSync, ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { onTestEnd, startFakeServer, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { IncomingFile } from '../../../src/channels/channel.ts';
import { contextOf, textOf } from '../suite/bench.ts';
import { startWhatsapp } from './bench.ts';

const MEBIBYTE = 1024 * 1024;

/** A file of that size without contents. */
function sparseFile(name: string, size: number): string {
  const directory = temporaryDirectory();
  onTestEnd(() => directory[Symbol.dispose]());
  const path = join(directory.path, name);
  const file = openSync(path, 'w');
  ftruncateSync(file, size);
  closeSync(file);
  return path;
}

async function sendFile(name: string, size: number) {
  const bench = await startWhatsapp();
  const media = [{ kind: 'file', path: sparseFile(name, size), name } as const];
  const sent = bench.channel.send(bench.place, { kind: 'message', text: '', media }, contextOf(bench));
  return { bench, sent };
}

async function read(file: IncomingFile | undefined): Promise<void> {
  for await (const _chunk of file?.bytes ?? []);
}

describe('what WhatsApp would not take', () => {
  it('of a picture over 5 MiB is sent as a document', async () => {
    const { bench, sent } = await sendFile('a.png', 5 * MEBIBYTE + 1);
    await sent;
    const message = JSON.parse(bench.platform.server.calls.at(-1)?.body.toString() ?? '{}');
    expect(message.type).toBe('document');
  });

  it('of a file over 100 MiB is given up with its name, and not uploaded', async () => {
    const { bench, sent } = await sendFile('a.bin', 100 * MEBIBYTE + 1);
    await expect(sent).rejects.toMatchObject({
      problem: 'never',
      message: 'WhatsApp takes no file over 100 MiB: a.bin.',
    });
    expect(bench.platform.server.calls.some(({ path }) => path.endsWith('/media'))).toBe(false);
  });
});

describe('the token of WhatsApp', () => {
  it('is not sent to another host that the answer about a file names', async () => {
    const other = await startFakeServer({ answer: () => ({ status: 200, body: 'x' }) });
    onTestEnd(() => other[Symbol.asyncDispose]());
    const { platform, ingress } = await startWhatsapp();
    const reply = { status: 200, body: { url: `${other.url}/file`, file_size: 1 } };
    platform.server.trouble(reply, ({ path }) => path === '/5000');
    const id = platform.sendFile('image', { mime: 'image/png', bytes: Buffer.from('x') });
    await until(() => platform.isAcknowledged(id), 'the platform to know');
    await expect(read(ingress.heard[0]?.files?.[0])).rejects.toThrow(
      'an address for a file that is not its own',
    );
    expect(other.calls).toEqual([]);
  });

  it('is not sent to where a redirect leads', async () => {
    const other = await startFakeServer({ answer: () => ({ status: 200, body: {} }) });
    onTestEnd(() => other[Symbol.asyncDispose]());
    const bench = await startWhatsapp();
    const redirect = { status: 307, headers: { location: `${other.url}/` }, body: '' };
    bench.platform.server.trouble(redirect, () => true);
    await expect(bench.channel.send(bench.place, textOf('x'), contextOf(bench))).rejects.toMatchObject({
      problem: 'unknown',
    });
    expect(other.calls).toEqual([]);
  });
});

describe('a call to WhatsApp', () => {
  it('whose delivery has timed out may have been sent, and leaves no connection', async () => {
    const bench = await startWhatsapp();
    const { platform, channel, place } = bench;
    const isSend = ({ path }: { readonly path: string }): boolean => path.endsWith('/messages');
    platform.server.trouble('hang', isSend);
    const end = new AbortController();
    const context = { ...contextOf(bench), signal: end.signal };
    const sending = channel.send(place, textOf('one'), context).catch((error: unknown) => error);
    await until(() => platform.server.calls.some(isSend), 'the call');
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    const before = sockets();
    end.abort();
    expect(await sending).toMatchObject({ problem: 'unknown', stopsChannel: false });
    await until(() => sockets() < before, 'the connection to be gone');
  });

  it('of two numbers in one process goes to the number that was written to', async () => {
    const [one, two] = [await startWhatsapp(), await startWhatsapp()];
    const ids = [one.platform.say('to one'), two.platform.say('to two')];
    const benches = [one, two];
    await until(() => benches.every(({ platform }, at) => platform.isAcknowledged(ids[at] ?? '')), 'both');
    expect(benches.map(({ ingress }) => ingress.heard.map(({ text }) => text))).toEqual([
      ['to one'],
      ['to two'],
    ]);
    await one.channel.send(one.place, textOf('one'), contextOf(one));
    await two.channel.send(two.place, textOf('two'), contextOf(two));
    expect(benches.map(({ platform }) => platform.shown().map(({ text }) => text))).toEqual([
      ['one'],
      ['two'],
    ]);
  });
});

describe('an answer of WhatsApp', () => {
  it.each([
    [429, { problem: 'later', scope: 'channel' }],
    [401, { problem: 'never', stopsChannel: true }],
  ])('with the status %i means the same without a code', async (status, problem) => {
    const bench = await startWhatsapp();
    bench.platform.server.trouble({ status, body: '' }, () => true);
    await expect(bench.channel.send(bench.place, textOf('x'), contextOf(bench))).rejects.toMatchObject(
      problem,
    );
  });

  it('that is endless is read to a limit', async () => {
    const bench = await startWhatsapp();
    const body = `{"error":{"code":100,"message":"${'x'.repeat(2 * MEBIBYTE)}"}}`;
    bench.platform.server.trouble({ status: 400, body }, () => true);
    // Cut off, it is no JSON that would prove a refusal.
    await expect(bench.channel.send(bench.place, textOf('x'), contextOf(bench))).rejects.toMatchObject({
      problem: 'unknown',
    });
  });
});

describe('a webhook of WhatsApp', () => {
  it('with the verify token does not answer what is no subscription', async () => {
    const { channel } = await startWhatsapp();
    const query = new URLSearchParams({ 'hub.verify_token': 'fake-verify-token', 'hub.challenge': '1' });
    const reply = channel.receiveHook?.({ method: 'GET', query, headers: {}, body: new Uint8Array() });
    expect(await reply).toMatchObject({ status: 403 });
  });
});

describe('the typing sign in a group of WhatsApp', () => {
  it('is not asked for, because groups have none', async () => {
    const { platform, channel } = await startWhatsapp();
    const id = platform.say('hello', { place: 'group:g1', person: '4915112345678' });
    await until(() => platform.isAcknowledged(id), 'the platform to know');
    await channel.typing?.('group:g1');
    expect(platform.typing).toEqual([]);
  });
});
