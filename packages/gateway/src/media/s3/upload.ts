import { explainFailure, type S3Client } from './client.ts';
import { failureIn, isPassing, S3Failure } from './s3-failure.ts';
import { escapeXml, textIn } from './xml.ts';

/** Bytes that are collected for one request. S3 wants 5 MiB for each part but the last. */
const PART_BYTES = 8 * 1024 ** 2;

/** S3 takes 10,000 parts. */
const MOST_PARTS = 10_000;

/**
 * Stores an object of unknown length: up to `PART_BYTES` by one PUT, more by parts. An error of `bytes` is thrown as it is.
 * Holds one part at a time in memory.
 */
export async function uploadObject(
  client: S3Client,
  key: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  let upload: Upload | undefined;
  try {
    for await (const { part, isLast } of splitParts(bytes)) {
      if (isLast && upload === undefined)
        return await explainFailure(client, () => putWhole(client, key, part));
      upload ??= await explainFailure(client, () => beginUpload(client, key));
      const begun = upload;
      if (part.length > 0) await explainFailure(client, () => putPart(client, begun, part));
      if (isLast) await explainFailure(client, () => completeUpload(client, begun));
    }
  } catch (error) {
    // Where this fails, too, a lifecycle rule of the bucket has to remove the parts: no object has been made.
    if (upload !== undefined) await abortUpload(client, upload).catch(() => {});
    throw error;
  }
}

interface Upload {
  readonly key: string;
  readonly id: string;
  readonly etags: string[];
  size: number;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Joins pieces to parts. The last part may be empty. */
async function* splitParts(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ part: Bytes; isLast: boolean }> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes) {
    pieces.push(piece);
    size += piece.length;
    if (size < PART_BYTES) continue;
    const part = Buffer.concat(pieces);
    pieces = [];
    size = 0;
    yield { part, isLast: false };
  }
  yield { part: Buffer.concat(pieces), isLast: true };
}

async function putWhole(client: S3Client, key: string, body: Bytes): Promise<void> {
  const answer = await client.send({ method: 'PUT', key, body });
  await answer.arrayBuffer();
}

async function beginUpload(client: S3Client, key: string): Promise<Upload> {
  const answer = await client.send({ method: 'POST', key, query: { uploads: '' } });
  const id = textIn(await answer.text(), 'UploadId');
  if (id === undefined) throw new S3Failure(answer.status, 'no UploadId in the answer');
  return { key, id, etags: [], size: 0 };
}

async function putPart(client: S3Client, upload: Upload, body: Bytes): Promise<void> {
  const { key, id, etags } = upload;
  if (etags.length === MOST_PARTS) throw new S3Failure(400, 'the file has too many parts');
  const query = { partNumber: String(etags.length + 1), uploadId: id };
  const answer = await client.send({ method: 'PUT', key, query, body });
  await answer.arrayBuffer();
  etags.push(answer.headers.get('etag') ?? '');
  upload.size += body.length;
}

const COMPLETE_TRIES = 4;

/** Status 200 may come with a refusal. An upload that is gone was completed by a request whose answer was lost. */
async function completeUpload(client: S3Client, upload: Upload): Promise<void> {
  const { key, id, etags } = upload;
  const parts = etags.map(
    (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  const xmlns = 'http://s3.amazonaws.com/doc/2006-03-01/';
  const body = Buffer.from(
    `<CompleteMultipartUpload xmlns="${xmlns}">${parts.join('')}</CompleteMultipartUpload>`,
  );
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await client.send({ method: 'POST', key, query: { uploadId: id }, body });
      const text = await answer.text();
      if (!text.includes('<Error>')) return;
      throw failureIn(text, 503);
    } catch (error) {
      if (error instanceof S3Failure && error.reason === 'NoSuchUpload' && (await isComplete(client, upload)))
        return;
      if (!isPassing(error) || tries === COMPLETE_TRIES) throw error;
    }
  }
}

async function isComplete(client: S3Client, { key, size }: Upload): Promise<boolean> {
  const answer = await client.send({ method: 'HEAD', key }).catch((error: unknown) => {
    if (error instanceof S3Failure && error.status === 404) return undefined;
    throw error;
  });
  return answer?.headers.get('content-length') === String(size);
}

async function abortUpload(client: S3Client, { key, id }: Upload): Promise<void> {
  const answer = await client.send({ method: 'DELETE', key, query: { uploadId: id } });
  await answer.arrayBuffer();
}
