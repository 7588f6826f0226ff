import type { Stats } from 'node:fs';

/** The bytes of a signature at an offset. */
type Mark = readonly [offset: number, bytes: string];

const SIGNATURES: readonly (readonly [name: string, ...Mark[]])[] = [
  ['a PNG image', [0, '\x89PNG\r\n\x1a\n']],
  ['a JPEG image', [0, '\xff\xd8\xff']],
  ['a GIF image', [0, 'GIF8']],
  ['a WebP image', [0, 'RIFF'], [8, 'WEBP']],
  ['an AVIF image', [4, 'ftypavif']],
  ['a BMP image', [0, 'BM'], [6, '\0\0\0\0']],
  ['a TIFF image', [0, 'II*\0']],
  ['an icon', [0, '\0\0\x01\0']],
  ['a PDF document', [0, '%PDF-']],
  ['a ZIP archive (or a document made of one)', [0, 'PK\x03\x04']],
  ['a gzip archive', [0, '\x1f\x8b']],
  ['a zstd archive', [0, '\x28\xb5\x2f\xfd']],
  ['an xz archive', [0, '\xfd7zXZ\0']],
  ['an ELF program', [0, '\x7fELF']],
  ['a WebAssembly module', [0, '\0asm']],
  ['an SQLite database', [0, 'SQLite format 3\0']],
  ['audio', [0, 'ID3']],
  ['audio', [0, 'OggS']],
  ['a video', [4, 'ftyp']],
  ['UTF-16 text', [0, '\xff\xfe']],
  ['UTF-16 text', [0, '\xfe\xff']],
];

const SAMPLE = 8192;

/** The share of control characters above which a file is binary. */
const CONTROL_SHARE = 0.3;

/** The kind of a binary file by its first bytes. Undefined for text. */
export function binaryKind(head: Uint8Array): string | undefined {
  const start = Buffer.from(head.subarray(0, 32)).toString('latin1');
  const known = SIGNATURES.find(([, ...marks]) =>
    marks.every(([offset, bytes]) => start.startsWith(bytes, offset)),
  );
  // A text may begin with the letters of a signature, so that a binary byte must confirm it.
  if (known !== undefined && hasNoText(head)) return known[0];
  return hasNoText(head) ? 'binary' : undefined;
}

function hasNoText(head: Uint8Array): boolean {
  const sample = head.subarray(0, SAMPLE);
  if (sample.includes(0)) return true;
  if (Buffer.from(sample.subarray(0, 5)).toString('latin1') === '%PDF-') return true;
  let control = 0;
  for (const byte of sample) if (byte < 7 || (byte > 13 && byte < 32 && byte !== 27)) control += 1;
  return control > sample.length * CONTROL_SHARE;
}

/** The kind of a file that is not regular. */
export function specialKind(found: Stats): string | undefined {
  if (found.isFile()) return undefined;
  if (found.isDirectory()) return 'a directory';
  if (found.isFIFO()) return 'a named pipe';
  if (found.isSocket()) return 'a socket';
  if (found.isSymbolicLink()) return 'a link';
  return 'a device';
}

/** `12 KB`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let size = bytes / 1024;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}
