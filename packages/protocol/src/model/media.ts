import type { Message } from './event.ts';
import type { Attachment, AttachmentKind } from './turn.ts';

/** A `Map`, because an extension may be any word, and an object would find `constructor`. */
const EXTENSIONS: ReadonlyMap<string, AttachmentKind> = new Map([
  ['jpg', 'image'],
  ['jpeg', 'image'],
  ['png', 'image'],
  ['gif', 'image'],
  ['webp', 'image'],
  ['mp4', 'video'],
  ['mov', 'video'],
  ['avi', 'video'],
  ['mkv', 'video'],
  ['webm', 'video'],
  ['mp3', 'audio'],
  ['ogg', 'audio'],
  ['m4a', 'audio'],
  ['wav', 'audio'],
  ['flac', 'audio'],
  ['pdf', 'file'],
]);

/** The attachment kind by file extension; `file` for an unknown extension. */
export function kindOf(name: string): AttachmentKind {
  return EXTENSIONS.get(extensionOf(name)) ?? 'file';
}

/** An attachment for a local path. */
export function attachmentAt(path: string): Attachment {
  return { kind: kindOf(path), path, name: baseName(path) };
}

/** The last part of a path or URL path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The address of an attachment as one string, which every dialect can carry: `path`, else `url`. */
export function addressOf(attachment: Attachment): string {
  return attachment.path ?? attachment.url ?? '';
}

/** A text with addresses after it, one a line. */
export function withAddresses(text: string, addresses: readonly string[]): string {
  return addresses.length === 0 ? text : [text, ...addresses].filter((line) => line !== '').join('\n');
}

/** A message as plain text, followed by the addresses of its `media`. */
export function writtenOut({ text, media }: Message): string {
  return withAddresses(text, media.map(addressOf));
}

// An absolute path after white space, an opening bracket, a quote or a colon, up to white space or a closing one.
const ABSOLUTE_PATH = /(?:^|[\s([{<"'`:])(\/[^\s()[\]{}<>"'`]+)/gu;

const PUNCTUATION = '.,;:!?';

/** Finds absolute paths of media files in text. They may not exist; the caller must check. */
export function detectMedia(text: string): Attachment[] {
  const found = new Map<string, Attachment>();
  for (const match of text.matchAll(ABSOLUTE_PATH)) {
    const said = withoutPunctuation(match[1] ?? '');
    // After two slashes comes the name of a host, as in `http://host/x.png`; after three the path, as in
    // `file:///p/x.png`.
    if (/^\/\/[^/]/u.test(said)) continue;
    const path = said.replace(/^\/+/u, '/');
    if (EXTENSIONS.has(extensionOf(path)) && !found.has(path)) {
      found.set(path, { ...attachmentAt(path), detected: true });
    }
  }
  return [...found.values()];
}

/** Removes trailing punctuation. Cuts from the back, because a regex would retry from each mark of a long row. */
function withoutPunctuation(path: string): string {
  let end = path.length;
  while (end > 0 && PUNCTUATION.includes(path.charAt(end - 1))) end--;
  return path.slice(0, end);
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot <= name.lastIndexOf('/') ? '' : name.slice(dot + 1).toLowerCase();
}
