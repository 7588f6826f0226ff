import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { addressOf } from '../../model/media.ts';
import type { Attachment, Turn } from '../../model/turn.ts';

/** The `input` of a turn. Images go to the model; other files are named, because the program can open them. */
export function writeInput({ text, attachments, extensions }: Turn): JsonObject[] {
  const images = attachments.flatMap(writeImage);
  const named = attachments
    .filter((file) => writeImage(file).length === 0 && addressOf(file) !== '')
    .map((file) => `Attached ${file.kind}: ${addressOf(file)}`);
  const blocks = listOf(extensions?.other_blocks).flatMap(writeBlock);
  const words = [text, ...named].filter((part) => part !== '').join('\n\n');
  const items = [...images, ...blocks];
  return words === '' && items.length > 0 ? items : [textItem(words), ...items];
}

/** An `input` item of the type `text`. */
export function textItem(text: string): JsonObject {
  return { type: 'text', text, text_elements: [] };
}

function writeImage({ kind, path, url }: Attachment): JsonObject[] {
  if (kind !== 'image') return [];
  if (path?.startsWith('/') === true) return [{ type: 'localImage', path }];
  return url !== undefined && /^(data:image\/|https?:)/i.test(url) ? [{ type: 'image', url }] : [];
}

/** A block of a host's message that is not text: an image, or a document of words. */
function writeBlock(value: JsonValue): JsonObject[] {
  const block = objectOf(value);
  const source = objectOf(block.source ?? value);
  const mimeType = stringOf(source.media_type) ?? stringOf(source.mimeType);
  const data = stringOf(source.data);
  if (block.type === 'image' && data !== undefined && mimeType !== undefined)
    return [{ type: 'image', url: `data:${mimeType};base64,${data}` }];
  if (block.type === 'image' && typeof source.url === 'string') return [{ type: 'image', url: source.url }];
  if (block.type === 'document' && source.type === 'text' && data !== undefined) return [textItem(data)];
  const { uri, text } = objectOf(block.resource);
  const words = stringOf(text) ?? '';
  if (block.type === 'resource' && typeof uri === 'string') return [textItem(`${uri}\n${words}`.trim())];
  return block.type === 'resource_link' && typeof block.uri === 'string' ? [textItem(block.uri)] : [];
}
