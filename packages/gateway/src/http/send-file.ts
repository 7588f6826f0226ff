import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Media } from '@plugboard/store';
import type { ByteRange } from '../media/media-files.ts';
import { isShown } from '../media/type.ts';
import { MEDIA_POLICY } from './headers.ts';
import { Problem } from './problem.ts';

/** Headers of a file and of its ranges. */
function headersOf({ id, name, type }: Media): OutgoingHttpHeaders {
  const disposition = isShown(type) ? 'inline' : 'attachment';
  return {
    'content-type': type === 'text/plain' ? 'text/plain; charset=utf-8' : type,
    'content-disposition': `${disposition}; filename*=UTF-8''${encodeName(name)}`,
    // The browser may cache the file, but must revalidate: access may have been revoked.
    'cache-control': 'private, no-cache',
    etag: `"${id}"`,
    'accept-ranges': 'bytes',
    'content-security-policy': MEDIA_POLICY,
  };
}

/** Sends a file or a range of it. Rejects with a `Problem` when the file is missing. */
export async function sendFile(
  media: Media,
  open: (range?: ByteRange) => Promise<Readable | undefined>,
  { incoming, outgoing, stallMs }: { incoming: IncomingMessage; outgoing: ServerResponse; stallMs: number },
): Promise<void> {
  const { method, headers } = incoming;
  const known = headersOf(media);
  if (headers['if-none-match'] === known.etag) return void outgoing.writeHead(304, known).end();
  const range = readRange(headers['if-range'] === undefined ? headers.range : undefined, media.size);
  if (range === 'none') {
    return void outgoing.writeHead(416, { ...known, 'content-range': `bytes */${media.size}` }).end();
  }
  const file = await open(range === 'all' ? undefined : range);
  if (file === undefined) throw new Problem('not-found', 'There is no such file any more.');
  const part = range === 'all' ? { start: 0, end: media.size - 1 } : range;
  const length = part.end - part.start + 1;
  const partial = range === 'all' ? {} : { 'content-range': `bytes ${part.start}-${part.end}/${media.size}` };
  outgoing.writeHead(range === 'all' ? 200 : 206, { ...known, ...partial, 'content-length': length });
  if (method === 'HEAD' || length === 0) {
    file.destroy();
    return void outgoing.end();
  }
  // A client that reads no bytes for `stallMs` is disconnected.
  outgoing.setTimeout(stallMs, () => outgoing.destroy());
  // A client may disconnect before the end; this is not an error.
  await pipeline(file, outgoing).catch(() => outgoing.destroy());
}

/** Encoding of RFC 8187, which escapes more characters than `encodeURIComponent`. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(/['()*!]/g, (character) => `%${hexOf(character)}`);
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase();
}

/** Parses `Range`: `all` without a range or with an unsupported form; `none` for an unsatisfiable range (416). */
export function readRange(header: string | undefined, size: number): ByteRange | 'all' | 'none' {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'all';
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < start) return 'all';
  return start >= size || end < start ? 'none' : { start, end };
}
