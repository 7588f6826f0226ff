import { createHash, createHmac } from 'node:crypto';

export interface S3Keys {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** A request before it is signed. */
interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export type Signer = (request: UnsignedRequest, now: number) => Record<string, string>;

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Creates a signer for Signature Version 4. It gives all headers of the signed request, except `host`. */
export function createSigner({ accessKey, secretKey }: S3Keys, region: string): Signer {
  let known: { readonly day: string; readonly key: Buffer } | undefined;
  // Four of the five HMACs depend on the day alone.
  const keyOf = (day: string): Buffer => {
    if (known?.day === day) return known.key;
    const key = [day, region, 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secretKey}`));
    known = { day, key };
    return key;
  };
  return ({ method, url, headers: given, body }, now) => {
    const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
    const day = time.slice(0, 8);
    const hash = sha256(body);
    const headers = { ...given, 'x-amz-date': time, 'x-amz-content-sha256': hash };
    const signed = Object.entries({ ...headers, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
    const names = signed.map(([name]) => name).join(';');
    const lines = signed.map(([name, value]) => `${name}:${value.trim()}\n`).join('');
    const canonical = [method, url.pathname, url.search.slice(1), lines, names, hash].join('\n');
    const scope = `${day}/${region}/s3/aws4_request`;
    const text = [ALGORITHM, time, scope, sha256(canonical)].join('\n');
    const signature = hmac(keyOf(day), text).toString('hex');
    const authorization = `${ALGORITHM} Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    return { ...headers, authorization };
  };
}

/** Encodes a path segment or a query value: everything but `A-Z a-z 0-9 - . _ ~`. */
export function encodeS3(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The query of a URL in the order that the signature wants: by encoded names. */
export function encodeQuery(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => [encodeS3(name), encodeS3(value)] as const);
  return pairs
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
