import { isObject } from '../../framing/json.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { baseName, kindOf } from '../../model/media.ts';
import type { Attachment, AttachmentKind, Turn } from '../../model/turn.ts';

/** The `prompt` of a turn. `can` are the `promptCapabilities` of the agent; text and links are always possible. */
export function writePrompt({ text, attachments, extensions }: Turn, can: JsonObject): JsonObject[] {
  const blocks = [
    ...attachments.flatMap((file) => writeAttachment(file, can)),
    ...listOf(extensions?.other_blocks).flatMap((block) => writeOther(block, can)),
  ];
  if (text === '' && blocks.length > 0) return blocks;
  return [{ type: 'text', text }, ...blocks];
}

function writeAttachment({ kind, path, url, name }: Attachment, can: JsonObject): JsonObject[] {
  if (path?.startsWith('/') === true) return [link(fileUri(path), name ?? baseName(path))];
  const address = path ?? url;
  if (address === undefined || address === '') return [];
  const data = readDataUrl(address);
  if (data !== undefined) return [writeData(data, kind, name, can)];
  return /^[a-z][a-z0-9+.-]*:/i.test(address)
    ? [link(address, name ?? (baseName(address) || address))]
    : [{ type: 'text', text: `Attached ${kind}: ${address}` }];
}

function link(uri: string, name: string): JsonObject {
  return { type: 'resource_link', uri, name };
}

/** The address of a local file. */
function fileUri(path: string): string {
  return `file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`;
}

interface InlineData {
  readonly mimeType: string;
  /** In base64. */
  readonly data: string;
}

function readDataUrl(url: string): InlineData | undefined {
  const [, mimeType = '', data = ''] = /^data:([^;,]*)[^,]*;base64,(.*)$/is.exec(url) ?? [];
  return data === '' ? undefined : { mimeType: mimeType || 'application/octet-stream', data };
}

/** A file without a path goes whole where the agent takes such a block; else the agent is told that it was there. */
function writeData(
  { mimeType, data }: InlineData,
  kind: AttachmentKind,
  name: string | undefined,
  can: JsonObject,
): JsonObject {
  if (mimeType.startsWith('image/') && can.image === true) return { type: 'image', mimeType, data };
  if (mimeType.startsWith('audio/') && can.audio === true) return { type: 'audio', mimeType, data };
  if (can.embeddedContext === true)
    return { type: 'resource', resource: { uri: `attachment:${name ?? kind}`, mimeType, blob: data } };
  return {
    type: 'text',
    text: `[${kind}${name === undefined ? '' : ` ${name}`}: not passed on, because this agent takes none]`,
  };
}

/** A block of a host's message that is not text: of this protocol, or an image or document of a model's API. */
function writeOther(value: JsonValue, can: JsonObject): JsonObject[] {
  if (!isObject(value)) return [];
  const { type } = value;
  if (type === 'resource_link') return typeof value.uri === 'string' ? [value] : [];
  if (type === 'resource') return isObject(value.resource) ? [writeResource(value, can)] : [];
  if (type !== 'image' && type !== 'audio' && type !== 'document') return [];
  const source = isObject(value.source) ? value.source : value;
  const mimeType = stringOf(source.mimeType) ?? stringOf(source.media_type);
  const kind = type === 'document' ? 'file' : type;
  if (typeof source.data === 'string' && mimeType !== undefined && source.type !== 'text')
    return [writeData({ mimeType, data: source.data }, kind, stringOf(value.title), can)];
  if (typeof source.data === 'string') return [{ type: 'text', text: source.data }];
  return typeof source.url === 'string' ? [link(source.url, baseName(source.url) || source.url)] : [];
}

function writeResource(value: JsonObject, can: JsonObject): JsonObject {
  if (can.embeddedContext === true) return value;
  const { uri, text } = objectOf(value.resource);
  const address = stringOf(uri) ?? 'resource';
  return typeof text === 'string'
    ? { type: 'text', text: `${address}:\n${text}` }
    : link(address, baseName(address) || address);
}

/** A content block of the agent, as text or as a file. */
export interface ReadContent {
  readonly text?: string;
  readonly media?: Attachment;
}

/** Longer data is not kept in a message. */
const MOST_DATA = 8 * 1024 * 1024;

export function readContent(value: JsonValue | undefined): ReadContent {
  const block = objectOf(value);
  switch (block.type) {
    case 'text':
      return { text: stringOf(block.text) ?? '' };
    case 'image':
    case 'audio':
      return readData(block.type, block);
    case 'resource_link':
      return readAddress(stringOf(block.uri), stringOf(block.name));
    case 'resource':
      return readResource(objectOf(block.resource));
    default:
      return { text: `[${stringOf(block.type) ?? 'block'}]` };
  }
}

function readData(kind: 'image' | 'audio', { data, mimeType, uri }: JsonObject): ReadContent {
  const address = readAddress(stringOf(uri), undefined, kind);
  if (address.media !== undefined) return address;
  const type = stringOf(mimeType) ?? `${kind}/*`;
  if (typeof data !== 'string' || data === '' || data.length > MOST_DATA)
    return { text: `[${kind}: ${type}]` };
  return { media: { kind, url: `data:${type};base64,${data}` } };
}

function readResource({ uri, text, blob, mimeType }: JsonObject): ReadContent {
  const address = stringOf(uri) ?? 'resource';
  if (typeof text === 'string') return { text: `${address}\n\`\`\`\n${text}\n\`\`\`\n` };
  const known = readAddress(address, undefined);
  if (known.media !== undefined || typeof blob !== 'string' || blob === '' || blob.length > MOST_DATA)
    return known.media === undefined ? { text: `[${address}]` } : known;
  const type = stringOf(mimeType) ?? 'application/octet-stream';
  return { media: { kind: 'file', url: `data:${type};base64,${blob}`, name: baseName(address) } };
}

function readAddress(uri: string | undefined, name: string | undefined, kind?: AttachmentKind): ReadContent {
  if (uri === undefined || uri === '') return { text: name ?? '' };
  const path = readFilePath(uri);
  const named = name ?? baseName(path ?? uri);
  const about = {
    kind: kind ?? kindOf(named === '' ? uri : named),
    ...(named === '' ? {} : { name: named }),
  };
  if (path !== undefined) return { media: { ...about, path } };
  return /^https?:\/\//i.test(uri) ? { media: { ...about, url: uri } } : { text: `[${name ?? uri}]` };
}

function readFilePath(uri: string): string | undefined {
  if (uri.startsWith('/')) return uri;
  const [, path] = /^file:\/\/(?:localhost)?(\/[^?#]*)/i.exec(uri) ?? [];
  if (path === undefined) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
