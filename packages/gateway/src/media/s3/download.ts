import { Readable } from 'node:stream';
import type { ByteRange } from '../media-files.ts';
import { explainFailure, type S3Client } from './client.ts';
import { isPassing, S3Failure, unavailable } from './s3-failure.ts';

/** A download may be cut this often without a byte in between. */
const MOST_CUTS = 5;

/** Where a download is. */
interface Download {
  readonly client: S3Client;
  readonly key: string;
  readonly etag: string | undefined;
  /** Offsets of the next byte, and of the end (exclusive). */
  next: number;
  readonly end: number;
}

/** Opens an object or a range within it. A download that is cut goes on where it was cut. Undefined without such an object. */
export async function openObject(
  client: S3Client,
  key: string,
  range?: ByteRange,
): Promise<Readable | undefined> {
  const ended = new AbortController();
  const first = await explainFailure(client, () =>
    request(client, key, range, { signal: ended.signal }).catch((error: unknown) => {
      if (error instanceof S3Failure && error.status === 404 && error.reason !== 'NoSuchBucket')
        return undefined;
      throw error;
    }),
  );
  if (first === undefined) return undefined;
  const { headers } = first;
  const length = headers.get('content-length');
  if (length === null) throw unavailable(client, new S3Failure(first.status, 'the answer has no length'));
  const next = range?.start ?? 0;
  const end = next + Number(length);
  const download = { client, key, etag: headers.get('etag') ?? undefined, next, end };
  const readable = Readable.from(readPieces(download, first, ended), { objectMode: false });
  // The generator may wait for a piece: `return` alone would not end that.
  readable.once('close', () => ended.abort());
  return readable;
}

async function request(
  client: S3Client,
  key: string,
  range: ByteRange | undefined,
  { signal, etag }: { signal: AbortSignal; etag?: string | undefined },
): Promise<Response> {
  const headers = {
    ...(range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` }),
    ...(etag === undefined ? {} : { 'if-match': etag }),
  };
  const answer = await client.send({ method: 'GET', key, headers, signal });
  if (range === undefined || answer.status === 206) return answer;
  await answer.body?.cancel();
  throw new S3Failure(answer.status, 'it does not answer ranges');
}

async function* readPieces(
  download: Download,
  first: Response,
  ended: AbortController,
): AsyncGenerator<Uint8Array> {
  const { client, key, etag, end } = download;
  let answer = first;
  let cuts = 0;
  for (;;) {
    const from = download.next;
    const failure = yield* readUntilCut(download, answer);
    if (failure === undefined || ended.signal.aborted) return;
    cuts = download.next > from ? 1 : cuts + 1;
    if (cuts > MOST_CUTS || !isPassing(failure)) throw unavailable(client, failure);
    const rest = { start: download.next, end: end - 1 };
    answer = await explainFailure(client, () => request(client, key, rest, { signal: ended.signal, etag }));
  }
}

/** Gives the failure that cut the body; undefined when it is complete. */
async function* readUntilCut(download: Download, answer: Response): AsyncGenerator<Uint8Array, unknown> {
  const reader = answer.body?.getReader();
  try {
    while (download.next < download.end) {
      const piece = await readPiece(reader, download.client.timing.stallMs);
      if (piece === undefined) return new Error('the download was cut');
      download.next += piece.length;
      yield piece;
    }
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await reader?.cancel().catch(() => {});
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Undefined at the end. The time counts only while a piece is waited for, and not while the consumer is slow. */
async function readPiece(reader: Reader | undefined, stallMs: number): Promise<Uint8Array | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const stalled = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no bytes came within ${Math.ceil(stallMs / 1000)} s`)),
      stallMs,
    );
  });
  try {
    return (await Promise.race([reader?.read(), stalled]))?.value;
  } finally {
    clearTimeout(timer);
  }
}
