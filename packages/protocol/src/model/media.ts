import type { Attachment, AttachmentKind } from './turn.ts';

const EXTENSIONS: Readonly<Record<string, AttachmentKind>> = {
  jpg: 'image',
  jpeg: 'image',
  png: 'image',
  gif: 'image',
  webp: 'image',
  mp4: 'video',
  mov: 'video',
  avi: 'video',
  mkv: 'video',
  webm: 'video',
  mp3: 'audio',
  ogg: 'audio',
  m4a: 'audio',
  wav: 'audio',
  flac: 'audio',
  pdf: 'file',
};

/** What kind of attachment a file name stands for; a file like any other when its extension says nothing. */
export function kindOf(name: string): AttachmentKind {
  return EXTENSIONS[extensionOf(name)] ?? 'file';
}

/** An attachment for a local path. */
export function attachmentAt(path: string): Attachment {
  return { kind: kindOf(path), path, name: baseName(path) };
}

/** The last part of a path or URL path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Where an attachment is, in the one form that every dialect can carry. */
export function addressOf(attachment: Attachment): string {
  return attachment.path ?? attachment.url ?? '';
}

// An absolute path after white space, an opening bracket, a quote or a colon, up to white space or a closing one.
const ABSOLUTE_PATH = /(?:^|[\s([{<"'`:])(\/[^\s()[\]{}<>"'`]+)/gu;

/** Finds absolute paths of media files in running text. They may not exist: the caller must look. */
export function detectMedia(text: string): Attachment[] {
  const found = new Map<string, Attachment>();
  for (const match of text.matchAll(ABSOLUTE_PATH)) {
    const said = (match[1] ?? '').replace(/[.,;:!?]+$/u, '');
    // After two slashes comes the name of a host, as in `http://host/x.png`; after three the path, as in `file:///p/x.png`.
    if (/^\/\/[^/]/u.test(said)) continue;
    const path = said.replace(/^\/+/u, '/');
    if (extensionOf(path) in EXTENSIONS && !found.has(path)) {
      found.set(path, { ...attachmentAt(path), detected: true });
    }
  }
  return [...found.values()];
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot <= name.lastIndexOf('/') ? '' : name.slice(dot + 1).toLowerCase();
}
