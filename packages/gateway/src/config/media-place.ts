import { z } from 'zod';
import { oneOf, text } from './kinds.ts';
import { absolutePath, type Reading } from './reading.ts';
import { type Secret, secretField } from './secret.ts';

/** Where files of people and agents are: one of the two. */
export interface MediaConfig {
  /** A directory that all machines of the gateway see. */
  readonly directory?: string;
  readonly s3?: S3Config;
}

/** A bucket of an S3-compatible store. */
export interface S3Config {
  /** Without a slash at its end. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly prefix: string;
  readonly addressing: 'path' | 'host';
  readonly accessKey: Secret;
  readonly secretKey: Secret;
}

const ENDPOINT_WANTED =
  'Expected an http or https address without user, query or fragment, as in https://s3.example.org.';
const BUCKET_WANTED = 'Expected the name of a bucket: 3 to 63 of a-z, 0-9, . and -.';
const PREFIX_WANTED =
  'Expected letters, digits and . _ - /, without / at the beginning and without "." or ".." as a part.';

const s3 = z.strictObject({
  endpoint: text().refine(isEndpoint, ENDPOINT_WANTED).describe('The address of the store.'),
  bucket: text()
    .refine((name) => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name), BUCKET_WANTED)
    .describe('The bucket, which exists already.'),
  region: text().min(1).default('us-east-1').describe('The region; auto for Cloudflare R2.'),
  prefix: text().refine(isPrefix, PREFIX_WANTED).default('media/').describe('Begins the key of each file.'),
  addressing: oneOf(['path', 'host'])
    .default('path')
    .describe('Whether the bucket is part of the path, or of the name of the host, as AWS wants it.'),
  access_key: secretField().describe('The access key.'),
  secret_key: secretField().describe('The secret key.'),
});

const ONE_WANTED = 'Expected either a directory or s3.';

/** Schema of `media`. */
export const mediaFields = z
  .strictObject({
    directory: text()
      .min(1)
      .optional()
      .describe('A directory that exists already, the same for each machine.'),
    s3: s3.optional().describe('A bucket of an S3-compatible store.'),
  })
  .refine((media) => (media.directory === undefined) !== (media.s3 === undefined), ONE_WANTED);

export function shapeMedia(
  reading: Reading,
  media: z.infer<typeof mediaFields> | undefined,
): { readonly media?: MediaConfig } {
  if (media?.s3 === undefined)
    return media?.directory === undefined
      ? {}
      : { media: { directory: absolutePath(reading, media.directory) } };
  const { access_key: accessKey, secret_key: secretKey, endpoint, ...rest } = media.s3;
  return { media: { s3: { ...rest, endpoint: endpoint.replace(/\/+$/, ''), accessKey, secretKey } } };
}

function isEndpoint(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

/** The URL of a request would lose a part that is `.` or `..`. */
function isPrefix(prefix: string): boolean {
  if (prefix === '') return true;
  return /^[\w.-][\w./-]{0,199}$/.test(prefix) && !prefix.split('/').some((part) => /^\.{1,2}$/.test(part));
}
