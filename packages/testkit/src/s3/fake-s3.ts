import { createHash, randomBytes } from 'node:crypto';
import type { FakeCall, FakeReply, FakeServer, FakeTrouble } from '../platforms/fake-server.ts';
import { startFakeServer } from '../platforms/fake-server.ts';
import { type FakeKeys, signatureProblem } from './signature-check.ts';

/** An S3-compatible server in this process. It checks signatures and content hashes, as real servers do. */
export interface FakeS3 extends AsyncDisposable {
  readonly url: string;
  readonly bucket: string;
  readonly keys: FakeKeys;
  /** Bodies by key. */
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Keys of uploads by parts that are neither completed nor aborted. */
  readonly openUploads: readonly string[];
  readonly calls: readonly FakeCall[];
  trouble: FakeServer['trouble'];
  /** Answers 503 SlowDown to the next `times` calls that `matches`. */
  slowDown(matches: (call: FakeCall) => boolean, times?: number): void;
  /** Breaks the next download of a key off after `bytes`. */
  cutDownload(key: string, bytes: number): void;
  /** Sets the difference to the clock of this machine. */
  setClock(offsetMs: number): void;
  setObject(key: string, body: Buffer, at?: number): void;
  down: FakeServer['down'];
  up: FakeServer['up'];
}

interface StoredObject {
  readonly body: Buffer;
  readonly etag: string;
  readonly at: number;
}

interface OpenUpload {
  readonly key: string;
  readonly parts: Map<number, StoredObject>;
}

/** S3 wants parts of 5 MiB, save the last. */
const LEAST_PART = 5 * 1024 ** 2;

const BUCKET = 'files';

export async function startFakeS3(): Promise<FakeS3> {
  const keys = { accessKey: 'fake-access', secretKey: randomBytes(12).toString('hex') };
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, OpenUpload>();
  let offsetMs = 0;
  const cuts: { key: string; bytes: number }[] = [];
  const server = await startFakeServer({
    answer(call) {
      const problem = signatureProblem(call, keys, Date.now() + offsetMs);
      if (problem !== undefined) return problem;
      const [, bucket = '', ...rest] = call.path.split('/').map(decodeURIComponent);
      if (bucket !== BUCKET) return failure(404, 'NoSuchBucket');
      const key = rest.join('/');
      if (key === '') return listObjects(call, objects);
      if (call.query.has('uploads') || call.query.has('uploadId'))
        return answerUpload(call, key, uploads, objects);
      return answerObject(call, key, objects, cuts);
    },
  });
  return {
    url: server.url,
    bucket: BUCKET,
    keys,
    get objects() {
      return new Map([...objects].map(([key, { body }]) => [key, body]));
    },
    get openUploads() {
      return [...uploads.values()].map(({ key }) => key);
    },
    calls: server.calls,
    trouble: server.trouble,
    slowDown: (matches, times = 1) => server.trouble(failure(503, 'SlowDown') as FakeTrouble, matches, times),
    cutDownload: (key, bytes) => void cuts.push({ key, bytes }),
    setClock: (ms) => {
      offsetMs = ms;
    },
    setObject: (key, body, at = Date.now()) => void objects.set(key, objectOf(body, at)),
    down: server.down,
    up: server.up,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function failure(status: number, code: string, more = ''): FakeReply {
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0"?><Error><Code>${code}</Code>${more}</Error>`,
  };
}

function objectOf(body: Buffer, at = Date.now()): StoredObject {
  return { body, etag: `"${createHash('md5').update(body).digest('hex')}"`, at };
}

function answerObject(
  call: FakeCall,
  key: string,
  objects: Map<string, StoredObject>,
  cuts: { key: string; bytes: number }[],
): FakeReply {
  if (call.method === 'PUT') {
    const stored = objectOf(call.body);
    objects.set(key, stored);
    return { status: 200, headers: { etag: stored.etag } };
  }
  if (call.method === 'DELETE') {
    objects.delete(key);
    return { status: 204 };
  }
  const found = objects.get(key);
  if (found === undefined) return failure(404, 'NoSuchKey');
  const match = call.headers['if-match'];
  if (match !== undefined && match !== found.etag) return failure(412, 'PreconditionFailed');
  const { body, etag } = found;
  if (call.method === 'HEAD')
    return { status: 200, headers: { etag, 'content-length': String(body.length) } };
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(call.headers.range ?? '')) ?? [];
  const start = Number(from ?? 0);
  if (start >= body.length && body.length > 0) return failure(416, 'InvalidRange');
  const part = from === undefined ? body : body.subarray(start, Number(to) + 1);
  const headers = {
    etag,
    'content-length': String(part.length),
    ...(from === undefined
      ? {}
      : { 'content-range': `bytes ${start}-${start + part.length - 1}/${body.length}` }),
  };
  const at = cuts.findIndex((cut) => cut.key === key);
  const [cut] = at === -1 ? [] : cuts.splice(at, 1);
  const cutAt = cut === undefined ? {} : { cutAfter: cut.bytes };
  return { status: from === undefined ? 200 : 206, headers, body: part, ...cutAt };
}

function answerUpload(
  call: FakeCall,
  key: string,
  uploads: Map<string, OpenUpload>,
  objects: Map<string, StoredObject>,
): FakeReply {
  if (call.method === 'POST' && call.query.has('uploads')) {
    const begun = randomBytes(9).toString('base64');
    uploads.set(begun, { key, parts: new Map() });
    return {
      status: 200,
      body: `<InitiateMultipartUploadResult><UploadId>${begun}</UploadId></InitiateMultipartUploadResult>`,
    };
  }
  const id = call.query.get('uploadId') ?? '';
  const upload = uploads.get(id);
  if (upload?.key !== key) return failure(404, 'NoSuchUpload');
  if (call.method === 'DELETE') {
    uploads.delete(id);
    return { status: 204 };
  }
  if (call.method === 'PUT') {
    const part = objectOf(call.body);
    upload.parts.set(Number(call.query.get('partNumber')), part);
    return { status: 200, headers: { etag: part.etag } };
  }
  const named = [...call.body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g)];
  const parts = named.map(([, number, etag = '']) => {
    const part = upload.parts.get(Number(number));
    return part?.etag === etag.replaceAll('&#34;', '"') ? part.body : undefined;
  });
  if (parts.length === 0 || parts.includes(undefined)) return failure(400, 'InvalidPart');
  if (parts.slice(0, -1).some((part) => (part?.length ?? 0) < LEAST_PART))
    return failure(400, 'EntityTooSmall');
  uploads.delete(id);
  objects.set(key, objectOf(Buffer.concat(parts as Buffer[])));
  return { status: 200, body: '<CompleteMultipartUploadResult/>' };
}

function listObjects(call: FakeCall, objects: ReadonlyMap<string, StoredObject>): FakeReply {
  if (call.method !== 'GET' || call.query.get('list-type') !== '2') return failure(400, 'InvalidRequest');
  const prefix = call.query.get('prefix') ?? '';
  const after = call.query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  // Short pages, so that a listing has more than one.
  const page = keys.slice(0, 3);
  const items = page.map((key) => {
    const at = new Date(objects.get(key)?.at ?? 0).toISOString();
    return `<Contents><Key>${key.replaceAll('&', '&amp;')}</Key><LastModified>${at}</LastModified></Contents>`;
  });
  const next =
    keys.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return { status: 200, body: `<ListBucketResult>${items.join('')}${next}</ListBucketResult>` };
}
