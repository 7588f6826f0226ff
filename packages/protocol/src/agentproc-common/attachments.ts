import { baseName } from '../model/media.ts';
import type { Attachment, AttachmentKind } from '../model/turn.ts';

const KINDS: readonly string[] = ['image', 'file', 'audio', 'video'] satisfies AttachmentKind[];
const LOCAL = 'file://';

/**
 * The URL by which an agent gets an attachment, empty when it has no address. A local copy is preferred: the agent
 * runs beside it, and the URL of a channel may hold that channel's secret.
 */
export function urlOf(attachment: Attachment): string {
  return attachment.path === undefined ? (attachment.url ?? '') : fileUrl(attachment.path);
}

/** The display name of an attachment: its `name`, else the file name of its `path`, else empty. */
export function nameOf(attachment: Attachment): string {
  return attachment.name ?? baseName(attachment.path ?? '');
}

/** An attachment as an agent was told of it; a kind we do not know is a file, a `file:` URL is a path. */
export function attachmentFrom(kind: string, url: string, name: unknown): Attachment {
  const path = pathOf(url);
  return {
    kind: KINDS.includes(kind) ? (kind as AttachmentKind) : 'file',
    ...(path === undefined ? { url } : { path }),
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
  };
}

/** `encodeURIComponent` throws on half a surrogate pair, so `toWellFormed` replaces it first. */
function fileUrl(path: string): string {
  return LOCAL + path.toWellFormed().split('/').map(encodeURIComponent).join('/');
}

function pathOf(url: string): string | undefined {
  if (!url.startsWith(`${LOCAL}/`)) return undefined;
  try {
    return decodeURIComponent(url.slice(LOCAL.length));
  } catch {
    return undefined;
  }
}
