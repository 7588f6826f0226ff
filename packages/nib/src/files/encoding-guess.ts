import { isUtf8 } from 'node:buffer';
import { ENCODINGS } from './encoding.ts';

/** Letters and punctuation of European prose; a wrong single-byte decoding yields different ones. */
const USUAL = /[àáâãäåæçèéêëìíîïñòóôõöøœùúûüýÿßÀÁÂÄÅÆÇÈÉÊÑÒÓÔÖØÙÚÜ‘’“”„‚«»–—…•€£§°¿¡\u00A0]/gu;

/** A curly quotation mark in the position that its direction requires. */
const QUOTED = /(?<!\p{L})[“„«‘]\p{L}|[\p{L}\p{P}][”’»](?!\p{L}{4})/gu;

/**
 * The most likely encoding of bytes that are not UTF-8. Returns undefined for text that is mostly UTF-8: it was
 * damaged, and a conversion of the whole file would break its valid characters.
 */
export function guessEncoding(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, [0xff, 0xfe])) return 'utf-16le';
  if (startsWith(bytes, [0xfe, 0xff])) return 'utf-16be';
  const zeros = countZeros(bytes);
  if (zeros.odd > bytes.length / 8 && zeros.even * 8 < zeros.odd) return 'utf-16le';
  if (zeros.even > bytes.length / 8 && zeros.odd * 8 < zeros.even) return 'utf-16be';
  if (zeros.odd + zeros.even > 0 || hasUtf8Sequences(bytes)) return undefined;
  return scoreEncoding(bytes, 'mac-roman') > scoreEncoding(bytes, 'windows-1252')
    ? 'mac-roman'
    : 'windows-1252';
}

/** Decodes bytes from one of `ENCODINGS` without its byte order mark; undefined when they are not valid in it. */
export function decodeAs(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(ENCODINGS[encoding], { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function scoreEncoding(bytes: Uint8Array, encoding: string): number {
  const text = decodeAs(bytes, encoding) ?? '';
  const other = text.match(/[^\x00-\x7F]/gu)?.length ?? 0;
  const usual = text.match(USUAL)?.length ?? 0;
  const quoted = text.match(QUOTED)?.length ?? 0;
  return other === 0 ? 0 : (usual + quoted) / other;
}

/** Whether at least 2 characters are valid multi-byte UTF-8 sequences; in other encodings that is rare. */
function hasUtf8Sequences(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes).toString('latin1');
  const sequences = text.match(/[\xC3-\xF4][\x80-\xBF]{1,3}/g) ?? [];
  return sequences.filter((one) => isUtf8(Buffer.from(one, 'latin1'))).length >= 2;
}

function countZeros(bytes: Uint8Array): { readonly even: number; readonly odd: number } {
  const zeros = { even: 0, odd: 0 };
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2 === 0 ? 'even' : 'odd'] += 1;
  return zeros;
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, at) => bytes[at] === byte);
}
