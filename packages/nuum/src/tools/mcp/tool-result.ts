import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { sizeText } from '../files/file-kind.ts';
import type { Outcome } from '../tool.ts';

const MOST_CHARS = 100_000;

/** The result of a tool as text. Other blocks are named by type and size. */
export function outcomeOf({ content, structuredContent, isError }: CallToolResult): Outcome {
  const blocks = content.map(blockText);
  const isData = blocks.length === 0 && structuredContent !== undefined;
  const text = isData ? JSON.stringify(structuredContent) : blocks.join('\n');
  return { content: shortenText(text === '' ? '(no text)' : text), isError: isError === true };
}

function blockText(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'image') return `[image ${block.mimeType}, ${encodedSize(block.data)}]`;
  if (block.type === 'audio') return `[audio ${block.mimeType}, ${encodedSize(block.data)}]`;
  if (block.type === 'resource_link') return `[resource ${block.uri}]`;
  const { resource } = block;
  if ('text' in resource) return `[resource ${resource.uri}]\n${resource.text}`;
  return `[resource ${resource.uri}, ${resource.mimeType ?? 'unknown type'}, ${encodedSize(resource.blob)}]`;
}

function encodedSize(base64: string): string {
  return sizeText(Math.floor((base64.length * 3) / 4));
}

function shortenText(text: string): string {
  if (text.length <= MOST_CHARS) return text;
  const half = MOST_CHARS / 2;
  const left = text.length - MOST_CHARS;
  const [head, tail] = [text.slice(0, half).toWellFormed(), text.slice(-half).toWellFormed()];
  return `${head}\n\n… (${left} characters left out) …\n\n${tail}`;
}
