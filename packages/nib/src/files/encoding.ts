import { isUtf8 } from 'node:buffer';
import { NibError } from '../nib-error.ts';

/** Names of the encodings that `nib ma convert --from` accepts, with the labels of `TextDecoder`. */
export const ENCODINGS: Readonly<Record<string, string>> = {
  'windows-1252': 'windows-1252',
  'mac-roman': 'macintosh',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
};

/**
 * Why bytes cannot be edited as UTF-8 text, as the end of a sentence about the file; undefined for UTF-8 without NUL.
 */
export function describeEncodingProblem(bytes: Uint8Array): string | undefined {
  const nul = bytes.indexOf(0);
  if (nul === -1 && isUtf8(bytes)) return undefined;
  const at = isUtf8(bytes) ? nul : findInvalidOffset(bytes);
  const hex = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  const line = Buffer.from(bytes.subarray(0, at)).toString('latin1').split('\n').length;
  return `is not UTF-8 text: byte ${hex} in line ${line}`;
}

/**
 * Decodes a file's bytes; throws instead of replacing invalid bytes with U+FFFD, which a later write would make
 * permanent.
 */
export function decodeUtf8(bytes: Buffer, file: string): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new NibError(
    `${file} ${describeEncodingProblem(bytes)}. nib ma convert ${file} changes it to UTF-8.`,
  );
}

/** The offset of the first byte that is not part of a valid UTF-8 sequence: the longest valid prefix, by bisection. */
export function findInvalidOffset(bytes: Uint8Array): number {
  let [valid, invalid] = [0, bytes.length];
  while (invalid - valid > 4) {
    const middle = findSequenceStart(bytes, (valid + invalid) >> 1);
    if (middle <= valid) break;
    if (isUtf8(bytes.subarray(valid, middle))) valid = middle;
    else invalid = middle;
  }
  while (valid < invalid) {
    const end = [1, 2, 3, 4].find((length) => isUtf8(bytes.subarray(valid, valid + length)));
    if (end === undefined) return valid;
    valid += end;
  }
  return valid;
}

/** Moves an offset back to the first byte of its sequence, at most 3 bytes. */
function findSequenceStart(bytes: Uint8Array, offset: number): number {
  let start = offset;
  while (offset - start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
