import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Media } from '@plugboard/store';
import { isShown } from '../media/type.ts';
import { MEDIA_POLICY } from './headers.ts';
import { Problem } from './problem.ts';
import { type Range, readRange } from './range.ts';

/** What the bytes of a file are sent with, whatever part of it is asked for. */
function headersOf({ id, name, type }: Media): OutgoingHttpHeaders {
  const disposition = isShown(type) ? 'inline' : 'attachment';
  return {
    'content-type': type === 'text/plain' ? 'text/plain; charset=utf-8' : type,
    'content-disposition': `${disposition}; filename*=UTF-8''${encoded(name)}`,
    // Kept by the browser, but never shown without asking here first whether it still may be.
    'cache-control': 'private, no-cache',
    etag: `"${id}"`,
    'accept-ranges': 'bytes',
    'content-security-policy': MEDIA_POLICY,
  };
}

/** Sends a file, or the part of it that is asked for. Rejects with a Problem when its bytes are gone. */
export async function sendFile(
  media: Media,
  path: string,
  { incoming, outgoing, stallMs }: { incoming: IncomingMessage; outgoing: ServerResponse; stallMs: number },
): Promise<void> {
  const { method, headers } = incoming;
  const known = headersOf(media);
  if (headers['if-none-match'] === known.etag) return void outgoing.writeHead(304, known).end();
  const range = readRange(headers['if-range'] === undefined ? headers.range : undefined, media.size);
  if (range === 'none') {
    return void outgoing.writeHead(416, { ...known, 'content-range': `bytes */${media.size}` }).end();
  }
  const file = await open(path).catch(() => {
    throw new Problem('not-found', 'There is no such file any more.');
  });
  const part = range === 'all' ? { start: 0, end: media.size - 1 } : range;
  const length = part.end - part.start + 1;
  const partial = range === 'all' ? {} : { 'content-range': `bytes ${part.start}-${part.end}/${media.size}` };
  outgoing.writeHead(range === 'all' ? 200 : 206, { ...known, ...partial, 'content-length': length });
  if (method === 'HEAD' || length === 0) {
    await file.close();
    return void outgoing.end();
  }
  // Who takes nothing for so long gets nothing more.
  outgoing.setTimeout(stallMs, () => outgoing.destroy());
  await pump(file, part, outgoing);
}

async function pump(file: FileHandle, { start, end }: Range, outgoing: ServerResponse): Promise<void> {
  // Whoever leaves before the end has made up their mind.
  await pipeline(file.createReadStream({ start, end }), outgoing).catch(() => outgoing.destroy());
}

/** As RFC 8187 wants it, which leaves less as it is than URLs do. */
function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(/['()*!]/g, (character) => `%${hex(character)}`);
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase();
}
