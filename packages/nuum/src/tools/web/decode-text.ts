import { TextDecoder } from 'node:util';

/** How a response is shown. */
export type Form = 'html' | 'text' | 'binary';

const TEXT_TYPES =
  /^(?:text\/|application\/(?:[\w.+-]*(?:json|xml|yaml|javascript|ecmascript|toml|sql|graphql)|x-sh|x-ndjson|ld\+json))/;
const HTML_TYPES = /^(?:text\/html|application\/xhtml\+xml)/;

/** Decides by the content type; without one, by the first bytes. */
export function formOf(type: string, bytes: Uint8Array): Form {
  if (HTML_TYPES.test(type)) return 'html';
  const isBinary = bytes.subarray(0, 8192).includes(0);
  if (TEXT_TYPES.test(type)) return isBinary && !/utf-?16/.test(type) ? 'binary' : 'text';
  if (type !== '' && type !== 'application/octet-stream') return 'binary';
  if (isBinary) return 'binary';
  return /^\s*<(?:!doctype html|html)/i.test(Buffer.from(bytes.subarray(0, 512)).toString('latin1'))
    ? 'html'
    : 'text';
}

/** Decodes by the charset of the header or of the page; UTF-8 by default. */
export function decodeText(bytes: Uint8Array, type: string): string {
  const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
  const named = charsetIn(type) ?? charsetIn(/<meta[^>]{0,200}charset[^>]{0,100}>/i.exec(head)?.[0] ?? '');
  return decoderFor(named).decode(bytes);
}

function charsetIn(text: string): string | undefined {
  return /charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(text)?.[1];
}

function decoderFor(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset ?? 'utf-8');
  } catch {
    return new TextDecoder('utf-8');
  }
}
