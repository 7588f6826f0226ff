import type { Attachment } from '@plugboard/host';

export type MediaKind = Attachment['kind'];

/** Bytes at an offset of the file header. */
type Mark = readonly [offset: number, bytes: string];
type Signature = readonly [type: string, ...Mark[]];

/** Signatures of types that a browser may display; all further types are downloads. */
const SIGNATURES: readonly Signature[] = [
  ['image/png', [0, '\x89PNG\r\n\x1a\n']],
  ['image/jpeg', [0, '\xff\xd8\xff']],
  ['image/gif', [0, 'GIF87a']],
  ['image/gif', [0, 'GIF89a']],
  ['image/webp', [0, 'RIFF'], [8, 'WEBP']],
  ['image/avif', [4, 'ftypavif']],
  ['image/heic', [4, 'ftyphei']],
  ['image/heic', [4, 'ftypmif1']],
  ['audio/wav', [0, 'RIFF'], [8, 'WAVE']],
  ['audio/ogg', [0, 'OggS']],
  ['audio/mpeg', [0, 'ID3']],
  ['audio/mpeg', [0, '\xff\xfb']],
  ['audio/flac', [0, 'fLaC']],
  ['audio/mp4', [4, 'ftypM4A']],
  ['video/mp4', [4, 'ftyp']],
  ['video/webm', [0, '\x1a\x45\xdf\xa3']],
  ['application/pdf', [0, '%PDF-']],
];

/** File extensions by type. Programs trust the extension, so that it is never the sender's. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/avif': '.avif',
  'image/heic': '.heic',
  'audio/wav': '.wav',
  'audio/ogg': '.ogg',
  'audio/mpeg': '.mp3',
  'audio/flac': '.flac',
  'audio/mp4': '.m4a',
  'video/mp4': '.mp4',
  'video/webm': '.webm',
  'application/pdf': '.pdf',
  'text/plain': '.txt',
};

/** Types that are safe to display inline. SVG is excluded, because it can contain scripts. */
const SHOWN: ReadonlySet<string> = new Set(
  SIGNATURES.map(([type]) => type).filter((type) => type !== 'application/pdf'),
);

const TEXT_NAMES = /\.(txt|md|csv|json|ya?ml|log|ts|js|py|sh|c|h|go|rs|java|html?|css|xml|svg|tex)$/i;

/** Type of a file by its first bytes, then by its name. `claimed` counts only for harmless types. */
export function typeOf(head: Uint8Array, name: string, claimed?: string): string {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 32)).toString('latin1');
  const known = SIGNATURES.find(([, ...marks]) =>
    marks.every(([offset, bytes]) => start.startsWith(bytes, offset)),
  );
  if (known !== undefined) return known[0];
  if (TEXT_NAMES.test(name) || claimed?.startsWith('text/')) return 'text/plain';
  return 'application/octet-stream';
}

export function extensionOf(type: string): string {
  return EXTENSIONS[type] ?? '.bin';
}

export function kindOf(type: string): MediaKind {
  const [first] = type.split('/');
  return first === 'image' || first === 'audio' || first === 'video' ? first : 'file';
}

/** Whether the type may be displayed inline. */
export function isShown(type: string): boolean {
  return SHOWN.has(type);
}
