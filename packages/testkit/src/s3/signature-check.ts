import { createHash, createHmac } from 'node:crypto';
import type { FakeCall, FakeReply } from '../platforms/fake-server.ts';

export interface FakeKeys {
  readonly accessKey: string;
  readonly secretKey: string;
}

const SKEW_MS = 15 * 60_000;

const HEADER =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/;

/** The refusal of a request whose signature, time or content hash is wrong. Written apart from the client that it checks. */
export function signatureProblem(call: FakeCall, keys: FakeKeys, now: number): FakeReply | undefined {
  const { headers, method, body } = call;
  const [, access, day = '', region = '', names = '', signature] =
    HEADER.exec(headers.authorization ?? '') ?? [];
  if (signature === undefined) return refuse(403, 'AccessDenied');
  if (access !== keys.accessKey) return refuse(403, 'InvalidAccessKeyId');
  const date = String(headers['x-amz-date'] ?? '');
  const at = Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(at - now) < SKEW_MS)) {
    const serverTime = `<ServerTime>${new Date(now).toISOString()}</ServerTime>`;
    return refuse(403, 'RequestTimeTooSkewed', serverTime);
  }
  const hash = String(headers['x-amz-content-sha256'] ?? '');
  const signedNames = names.split(';');
  const unsigned = Object.keys(headers).filter(
    (name) => name.startsWith('x-amz-') && !signedNames.includes(name),
  );
  if (!signedNames.includes('host') || unsigned.length > 0) return refuse(403, 'AccessDenied');
  const lines = signedNames.map((name) => `${name}:${String(headers[name] ?? '').trim()}`);
  const canonical = [method, encodedPath(call), encodedQuery(call), ...lines, '', names, hash].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`;
  let key: Buffer = Buffer.from(`AWS4${keys.secretKey}`);
  for (const step of [day, region, 's3', 'aws4_request', text])
    key = createHmac('sha256', key).update(step).digest();
  if (key.toString('hex') !== signature) return refuse(403, 'SignatureDoesNotMatch');
  if (createHash('sha256').update(body).digest('hex') !== hash)
    return refuse(400, 'XAmzContentSHA256Mismatch');
  return undefined;
}

function refuse(status: number, code: string, more = ''): FakeReply {
  return { status, body: `<?xml version="1.0"?><Error><Code>${code}</Code>${more}</Error>` };
}

function encode(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[\w.~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function encodedPath({ path }: FakeCall): string {
  return path
    .split('/')
    .map((part) => encode(decodeURIComponent(part)))
    .join('/');
}

function encodedQuery({ query }: FakeCall): string {
  return [...query]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}
