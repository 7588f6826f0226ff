import { randomUUID } from 'node:crypto';
import { findSwift, type SwiftServer, startSwift } from '@plugboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MediaFiles } from '../../src/media/media-files.ts';
import { createS3Client } from '../../src/media/s3/client.ts';
import { createS3Files, type S3Options } from '../../src/media/s3/s3-files.ts';
import { describeMediaFiles, inPieces, noise } from './contract/media-files.ts';

// A real server that checks signatures and digests. Not there and not to be had: said aloud, and an error where CI has it.
const missing = findSwift();
if (missing !== undefined) console.warn(`\nThe S3 client was NOT tried with a real server: ${missing}\n`);

it('a real S3-compatible server is there to try the client with, wherever CI runs', () => {
  if (process.env.CI === 'true') expect(missing).toBeUndefined();
});

const MEBIBYTE = 1024 ** 2;

describe.skipIf(missing !== undefined)('OpenStack Swift', () => {
  let swift: SwiftServer;
  let options: S3Options;

  beforeAll(async () => {
    swift = await startSwift();
    const { url: endpoint, keys } = swift;
    options = {
      endpoint,
      bucket: 'plugboard',
      region: 'us-east-1',
      prefix: 'media/',
      addressing: 'path',
      keys,
    };
    await (await createS3Client(options).send({ method: 'PUT' })).arrayBuffer();
  }, 180_000);
  afterAll(() => swift?.[Symbol.asyncDispose]());

  const open = async (more: Partial<S3Options> = {}): Promise<MediaFiles> =>
    createS3Files({ ...options, prefix: `media-${randomUUID()}/`, ...more });

  describeMediaFiles('a bucket of Swift', open, 17 * MEBIBYTE);

  it('takes keys with characters that URLs and signatures treat differently', async () => {
    const files = await open({ prefix: "grün & 100% (a+b)'*!~/" });
    await files.put('ü +=?#.bin', inPieces(noise(100)));
    expect(await files.open('ü +=?#.bin')).toBeDefined();
    await files.remove('ü +=?#.bin');
  });

  it.each([
    [{ keys: { accessKey: 'test:tester', secretKey: 'wrong' } }, 'refuses the secret key'],
    [{ keys: { accessKey: 'test:nobody', secretKey: 'wrong' } }, 'media.s3.access_key'],
    [{ bucket: 'nothing' }, 'has no such bucket'],
  ])('tells in one sentence why it refuses: %#', async (wrong, sentence) => {
    const files = await open(wrong);
    await expect(files.check()).rejects.toThrow(sentence);
    await expect(files.put('a.bin', inPieces(noise(10)))).rejects.toThrow(sentence);
  });

  it('leaves no open upload when a source breaks in the third part', async () => {
    const files = await open();
    const cut = new Error('cut');
    const source = async function* (): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent < 20; sent += 1) yield noise(MEBIBYTE);
      throw cut;
    };
    await expect(files.put('a.bin', source())).rejects.toBe(cut);
    const answer = await createS3Client(options).send({ method: 'GET', query: { uploads: '' } });
    expect(await answer.text()).not.toContain('<Upload>');
  });

  it('is given and gives back 256 MiB while this process stays small', async () => {
    const files = await open();
    const block = noise(MEBIBYTE);
    let most = 0;
    const watch = (): void => {
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    };
    const source = async function* (): AsyncGenerator<Uint8Array> {
      for (let sent = 0; sent < 256; sent += 1) {
        watch();
        yield block;
      }
    };
    const before = process.memoryUsage().arrayBuffers;
    await files.put('large.bin', source());
    let size = 0;
    for await (const piece of (await files.open('large.bin')) ?? []) {
      size += (piece as Buffer).length;
      watch();
    }
    expect(size).toBe(256 * MEBIBYTE);
    expect(most - before).toBeLessThan(96 * MEBIBYTE);
  });
});
