import type { Attachment } from '@plugboard/host';

export type MediaKind = Attachment['kind'];

type Signature = readonly [type: string, offset: number, bytes: string];

/** How the files that a browser may show begin; everything else is only ever downloaded. */
const SIGNATURES: readonly Signature[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['image/avif', 4, 'ftypavif'],
  ['audio/wav', 8, 'WAVE'],
  ['audio/ogg', 0, 'OggS'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/mpeg', 0, '\xff\xfb'],
  ['audio/flac', 0, 'fLaC'],
  ['audio/mp4', 4, 'ftypM4A'],
  ['video/mp4', 4, 'ftyp'],
  ['video/webm', 0, '\x1a\x45\xdf\xa3'],
  ['application/pdf', 0, '%PDF-'],
];

/** Types that are safe to show where they come from; a picture that can hold a script is not among them. */
const SHOWN: ReadonlySet<string> = new Set(
  SIGNATURES.map(([type]) => type).filter((type) => type !== 'application/pdf'),
);

const TEXT_NAMES = /\.(txt|md|csv|json|ya?ml|log|ts|js|py|sh|c|h|go|rs|java|html?|css|xml|svg|tex)$/i;

/** The type of a file by its first bytes, then by its name; what somebody claims counts only where it does no harm. */
export function typeOf(head: Uint8Array, name: string, claimed?: string): string {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 32)).toString('latin1');
  const known = SIGNATURES.find(([, offset, bytes]) => start.startsWith(bytes, offset));
  if (known !== undefined) return known[0];
  if (TEXT_NAMES.test(name) || claimed?.startsWith('text/')) return 'text/plain';
  return 'application/octet-stream';
}

export function kindOf(type: string): MediaKind {
  const [first] = type.split('/');
  return first === 'image' || first === 'audio' || first === 'video' ? first : 'file';
}

/** Whether a browser may show it in place. */
export function isShown(type: string): boolean {
  return SHOWN.has(type);
}
