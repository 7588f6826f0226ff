import { randomBytes } from 'node:crypto';
import { MediaUnavailableError } from '../media-error.ts';
import type { ListedFile, MediaFiles } from '../media-files.ts';
import { createS3Client, explainFailure, type S3Bucket, type S3Client, type S3Timing } from './client.ts';
import { openObject } from './download.ts';
import { S3Failure } from './s3-failure.ts';
import { uploadObject } from './upload.ts';
import { elementsIn, textIn } from './xml.ts';

export interface S3Options extends S3Bucket {
  /** Begins each key. */
  readonly prefix: string;
}

/** Each upload holds a part of 8 MiB; further ones wait, and their senders with them. */
const MOST_UPLOADS = 16;

/** Files as objects of a bucket: `PREFIX` and the name of the file are the key. */
export function createS3Files(options: S3Options, timing?: S3Timing): MediaFiles {
  const client = createS3Client(options, timing);
  const keyOf = (name: string): string => `${options.prefix}${name}`;
  const takeSlot = createSlots(MOST_UPLOADS);
  return {
    place: `s3:${client.place}/${options.prefix}`,
    async put(name, bytes) {
      using _slot = await takeSlot();
      await uploadObject(client, keyOf(name), bytes);
    },
    open: (name, range) => openObject(client, keyOf(name), range),
    remove: (name) => explainFailure(client, () => removeObject(client, keyOf(name))),
    list: () => listFiles(client, options.prefix),
    check: () =>
      explainFailure(client, () => tryAll(client, keyOf(`check-${randomBytes(9).toString('base64url')}`))),
  };
}

async function removeObject(client: S3Client, key: string, isRepeated = true): Promise<void> {
  try {
    const answer = await client.send({ method: 'DELETE', key, isRepeated });
    await answer.arrayBuffer();
  } catch (error) {
    const isGone = error instanceof S3Failure && error.status === 404 && error.reason !== 'NoSuchBucket';
    if (!isGone) throw error;
  }
}

async function* listFiles(client: S3Client, prefix: string): AsyncGenerator<ListedFile> {
  let token: string | undefined;
  do {
    const page = token === undefined ? {} : { 'continuation-token': token };
    const query = { 'list-type': '2', prefix, ...page };
    const xml = await explainFailure(client, async () =>
      (await client.send({ method: 'GET', query })).text(),
    );
    for (const item of elementsIn(xml, 'Contents')) {
      const key = textIn(item, 'Key') ?? '';
      const at = Date.parse(textIn(item, 'LastModified') ?? '');
      yield {
        name: key.slice(prefix.length),
        at: Number.isNaN(at) ? Number.POSITIVE_INFINITY : at,
        isPartial: false,
      };
    }
    token = textIn(xml, 'NextContinuationToken');
  } while (token !== undefined);
}

/** Each step by itself, and not repeated: `doctor` and `/readyz` tell the state of now. */
async function tryAll(client: S3Client, key: string): Promise<void> {
  const body = Buffer.from(`A file of Plugboard's check, ${key}`);
  await (await client.send({ method: 'PUT', key, body, isRepeated: false })).arrayBuffer();
  const answer = await client.send({ method: 'GET', key, isRepeated: false });
  const found = Buffer.from(await answer.arrayBuffer());
  await removeObject(client, key, false);
  if (!found.equals(body))
    throw new MediaUnavailableError(
      `The media store ${client.place} gives back other bytes than it was given.`,
    );
}

/** Lets at most `most` holders in at a time, in the order of their calls. */
function createSlots(most: number): () => Promise<Disposable> {
  const waiting: (() => void)[] = [];
  let free = most;
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    return { [Symbol.dispose]: release };
  };
}
