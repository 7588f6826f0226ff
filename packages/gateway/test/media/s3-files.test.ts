import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type FakeS3, startFakeS3, until } from '@plugboard/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MediaUnavailableError } from '../../src/media/media-error.ts';
import type { MediaFiles } from '../../src/media/media-files.ts';
import type { S3Timing } from '../../src/media/s3/client.ts';
import { createS3Files, type S3Options } from '../../src/media/s3/s3-files.ts';
import { describeMediaFiles, inPieces, noise, pieces } from './contract/media-files.ts';

const TIMING: S3Timing = { answerMs: 20_000, stallMs: 20_000, patienceMs: 20_000, pauseMs: 1 };

async function readAll(opened: Readable | undefined): Promise<Buffer> {
  if (opened === undefined) throw new Error('There is no such file.');
  return buffer(opened);
}

const MEBIBYTE = 1024 ** 2;

async function startBucket(
  more: Partial<S3Options> = {},
  timing: Partial<S3Timing> = {},
): Promise<{ s3: FakeS3; files: MediaFiles }> {
  const s3 = await startFakeS3();
  onTestFinished(() => s3[Symbol.asyncDispose]());
  const { url: endpoint, bucket, keys } = s3;
  const options: S3Options = {
    endpoint,
    bucket,
    region: 'us-east-1',
    prefix: 'media/',
    addressing: 'path',
    keys,
  };
  return { s3, files: createS3Files({ ...options, ...more }, { ...TIMING, ...timing }) };
}

// Two parts and a rest.
describeMediaFiles('a bucket', async () => (await startBucket()).files, 17 * MEBIBYTE);

describe('a bucket', () => {
  it('takes names and prefixes with characters that URLs and signatures treat differently', async () => {
    const { s3, files } = await startBucket({ prefix: "grün & 100% (a+b)'*!~/" });
    await files.put('ü +=?#.bin', pieces(Buffer.from('a')));
    expect([...s3.objects.keys()]).toEqual(["grün & 100% (a+b)'*!~/ü +=?#.bin"]);
    expect(await files.open('ü +=?#.bin')).toBeDefined();
  });

  it.each([
    [
      { keys: { accessKey: 'fake-access', secretKey: 'wrong' } },
      /refuses the secret key: check media\.s3\.access_key and media\.s3\.secret_key/,
    ],
    [{ keys: { accessKey: 'nobody', secretKey: 'wrong' } }, /does not know the access key/],
    [{ bucket: 'nothing' }, /has no such bucket: make it, or correct media\.s3\.bucket/],
    [{ endpoint: 'http://127.0.0.1:1' }, /does not answer: .*Check media\.s3\.endpoint/],
  ])('that cannot be used is told in one sentence, without the key: %#', async (wrong, sentence) => {
    const { files } = await startBucket(wrong, { patienceMs: 0 });
    const works = [
      () => files.put('a.bin', pieces(Buffer.from('a'))),
      () => files.put('a.bin', pieces(noise(9 * MEBIBYTE))),
      () => files.open('a.bin'),
      () => files.remove('a.bin'),
      () => files.check(),
    ];
    for (const work of works) {
      const error = await work().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(MediaUnavailableError);
      expect(String(error)).toMatch(sentence);
      expect(String(error)).not.toMatch(/wrong|\n/);
    }
  });

  it('that asks to slow down is asked again, and not for ever', async () => {
    const { s3, files } = await startBucket();
    s3.slowDown(({ method }) => method === 'PUT', 3);
    await files.put('a.bin', pieces(Buffer.from('a')));
    expect(s3.calls).toHaveLength(4);
    s3.slowDown(({ method }) => method === 'GET', 1_000);
    await expect(files.open('a.bin')).rejects.toThrow('503 SlowDown');
    expect(s3.calls.length).toBe(4 + 8);
  });

  it('is asked again after a refusal of the clock, with the time of the server', async () => {
    const { s3, files } = await startBucket();
    s3.setClock(3_600_000);
    await files.put('a.bin', pieces(Buffer.from('a')));
    await files.put('b.bin', pieces(Buffer.from('b')));
    expect(s3.calls).toHaveLength(3);
  });

  it('is asked again after a connection that broke, whatever was lost', async () => {
    const { s3, files } = await startBucket();
    for (const trouble of ['lose', 'cut'] as const) {
      s3.trouble(trouble, ({ method }) => method === 'PUT');
      await files.put('a.bin', pieces(Buffer.from(trouble)));
      expect(s3.objects.get('media/a.bin')?.toString()).toBe(trouble);
    }
    s3.trouble('cut', ({ method }) => method === 'DELETE');
    await files.remove('a.bin');
    expect(s3.objects.size).toBe(0);
  });

  it('that never answers is given up', async () => {
    const { s3, files } = await startBucket({}, { answerMs: 50, patienceMs: 100 });
    s3.trouble('hang', () => true, 1_000);
    await expect(files.put('a.bin', pieces(Buffer.from('a')))).rejects.toThrow(
      /does not answer: no answer came within/,
    );
  });

  it('that gives back other bytes fails its check', async () => {
    const { s3, files } = await startBucket();
    s3.trouble(
      { status: 200, body: Buffer.from('other'), headers: { 'content-length': '5' } },
      ({ method }) => method === 'GET',
    );
    await expect(files.check()).rejects.toThrow('gives back other bytes');
  });
});

describe('an upload by parts', () => {
  const bytes = noise(17 * MEBIBYTE);
  const isComplete = ({ method, query }: { method: string; query: URLSearchParams }): boolean =>
    method === 'POST' && query.has('uploadId');

  it('is complete when the answer to its completion was lost', async () => {
    const { s3, files } = await startBucket();
    s3.trouble('cut', isComplete);
    await files.put('a.bin', inPieces(bytes));
    expect(s3.objects.get('media/a.bin')?.equals(bytes)).toBe(true);
  });

  it('is completed again when the refusal comes with status 200', async () => {
    const { s3, files } = await startBucket();
    s3.trouble({ status: 200, body: '<Error><Code>InternalError</Code></Error>' }, isComplete, 2);
    await files.put('a.bin', inPieces(bytes));
    expect(s3.objects.get('media/a.bin')?.equals(bytes)).toBe(true);
  });

  it('fails when its completion is refused with status 200 for good', async () => {
    const { s3, files } = await startBucket();
    s3.trouble({ status: 200, body: '<Error><Code>InvalidPart</Code></Error>' }, isComplete, 9);
    await expect(files.put('a.bin', inPieces(bytes))).rejects.toThrow('InvalidPart');
    expect([s3.objects.size, s3.openUploads]).toEqual([0, []]);
  });

  it('leaves nothing when a part is refused, or its source breaks', async () => {
    const { s3, files } = await startBucket();
    s3.trouble(
      { status: 400, body: '<Error><Code>InvalidDigest</Code></Error>' },
      ({ query }) => query.get('partNumber') === '3',
    );
    await expect(files.put('a.bin', inPieces(bytes))).rejects.toThrow('400 InvalidDigest');
    expect([s3.objects.size, s3.openUploads]).toEqual([0, []]);
    const cut = new Error('cut');
    await expect(files.put('a.bin', pieces(bytes.subarray(0, 9 * MEBIBYTE), cut))).rejects.toBe(cut);
    expect([s3.objects.size, s3.openUploads]).toEqual([0, []]);
  });

  it('sends a refused part again', async () => {
    const { s3, files } = await startBucket();
    s3.slowDown(({ query }) => query.get('partNumber') === '2', 2);
    s3.trouble('cut', ({ query }) => query.get('partNumber') === '3');
    await files.put('a.bin', inPieces(bytes));
    expect(s3.objects.get('media/a.bin')?.equals(bytes)).toBe(true);
  });

  it('holds no more than a part of each file in memory, and lets 16 files in at a time', async () => {
    const { files, s3 } = await startBucket({}, { patienceMs: 0 });
    const asked: number[] = [];
    s3.trouble('hang', () => true, 1_000);
    const source = async function* (at: number): AsyncGenerator<Uint8Array> {
      asked.push(at);
      for (let sent = 0; sent < 400; sent += 1) yield Buffer.alloc(MEBIBYTE / 4);
    };
    for (let at = 0; at < 20; at += 1) files.put(`${at}.bin`, source(at)).catch(() => {});
    await until(() => s3.calls.length === 16, 'each slot to send its first part');
    expect(asked).toHaveLength(16);
  });
});

describe('a download', () => {
  it('goes on where it was cut', async () => {
    const { s3, files } = await startBucket();
    const bytes = noise(3 * MEBIBYTE);
    await files.put('a.bin', inPieces(bytes));
    s3.cutDownload('media/a.bin', 100_000);
    s3.cutDownload('media/a.bin', 0);
    s3.cutDownload('media/a.bin', 1_000_000);
    const opened = await files.open('a.bin', { start: 10, end: 2_999_999 });
    const read = await readAll(opened);
    expect(read.equals(bytes.subarray(10, 3_000_000))).toBe(true);
    expect(s3.calls.filter(({ method }) => method === 'GET')).toHaveLength(4);
  });

  it('fails when the file was replaced meanwhile, rather than join the two', async () => {
    const { s3, files } = await startBucket();
    await files.put('a.bin', inPieces(noise(MEBIBYTE)));
    s3.cutDownload('media/a.bin', 10);
    const opened = await files.open('a.bin');
    s3.setObject('media/a.bin', noise(MEBIBYTE - 4));
    await expect(readAll(opened)).rejects.toThrow('412 PreconditionFailed');
  });

  it('that is cut again and again fails', async () => {
    const { s3, files } = await startBucket();
    await files.put('a.bin', inPieces(noise(MEBIBYTE)));
    for (let cut = 0; cut < 20; cut += 1) s3.cutDownload('media/a.bin', 0);
    const opened = await files.open('a.bin');
    await expect(readAll(opened)).rejects.toThrow(MediaUnavailableError);
  });
});
