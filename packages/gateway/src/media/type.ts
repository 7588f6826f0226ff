import type { Attachment } from '@plugboard/host';

export type MediaKind = Attachment['kind'];

/** What stands where in the first bytes. */
type Mark = readonly [offset: number, bytes: string];
type Signature = readonly [type: string, ...Mark[]];

/** How the files that a browser may show begin; everything else is only ever downloaded. */
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

/** What a file of each type is called here: programs look at the end of a name, and it is never the sender's. */
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

/** Types that are safe to show where they come from; a picture that can hold a script is not among them. */
const SHOWN: ReadonlySet<string> = new Set(
  SIGNATURES.map(([type]) => type).filter((type) => type !== 'application/pdf'),
);

const TEXT_NAMES = /\.(txt|md|csv|json|ya?ml|log|ts|js|py|sh|c|h|go|rs|java|html?|css|xml|svg|tex)$/i;

/** The type of a file by its first bytes, then by its name; what somebody claims counts only where it does no harm. */
export function typeOf(head: Uint8Array, name: string, claimed?: string): string {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 32)).toString('latin1');
  const known = SIGNATURES.find(([, ...marks]) =>
    marks.every(([offset, bytes]) => start.startsWith(bytes, offset)),
  );
  if (known !== undefined) return known[0];
  if (TEXT_NAMES.test(name) || claimed?.startsWith('text/')) return 'text/plain';
  return 'application/octet-stream';
}

/** With its dot. */
export function extensionOf(type: string): string {
  return EXTENSIONS[type] ?? '.bin';
}

export function kindOf(type: string): MediaKind {
  const [first] = type.split('/');
  return first === 'image' || first === 'audio' || first === 'video' ? first : 'file';
}

/** Whether a browser may show it in place. */
export function isShown(type: string): boolean {
  return SHOWN.has(type);
}
