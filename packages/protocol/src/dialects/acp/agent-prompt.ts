import { objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { attachmentAt, baseName, kindOf } from '../../model/media.ts';
import type { Attachment } from '../../model/turn.ts';

/** A prompt in the terms of a `Turn`. */
export interface Prompt {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** Blocks of unknown types, unchanged. */
  readonly others: readonly JsonValue[];
}

interface Reading {
  text: string;
  /** Files that are mentioned after `text`, by name: they become a part of the sentence when text follows. */
  mentions: string[];
  readonly attachments: Attachment[];
  readonly contexts: string[];
  readonly others: JsonValue[];
}

/**
 * Reads the content blocks of a prompt. Files become attachments. A file between two texts is also named in the text as
 * `@name`, because editors split a sentence where it mentions a file. The text of embedded resources follows the message.
 */
export function readPrompt(blocks: readonly JsonValue[]): Prompt {
  const reading: Reading = { text: '', mentions: [], attachments: [], contexts: [], others: [] };
  for (const value of blocks) readBlock(reading, objectOf(value), value);
  return {
    text: [reading.text, ...reading.contexts].filter((part) => part !== '').join('\n\n'),
    attachments: reading.attachments,
    others: reading.others,
  };
}

function readBlock(reading: Reading, block: JsonObject, value: JsonValue): void {
  switch (block.type) {
    case 'text':
      return addText(reading, stringOf(block.text) ?? '');
    case 'resource_link':
      return addFile(reading, linkedFile(block));
    case 'image':
    case 'audio':
      return addFile(reading, embeddedFile(block.type, block));
    case 'resource':
      return addResource(reading, objectOf(block.resource));
    default:
      reading.others.push(value);
  }
}

function addText(reading: Reading, text: string): void {
  const { mentions } = reading;
  if (reading.text === '') reading.text = text;
  else if (mentions.length === 0) reading.text += `\n\n${text}`;
  else reading.text += `${mentions.map((name) => `@${name}`).join(' ')}${text}`;
  mentions.length = 0;
}

function addFile({ text, mentions, attachments }: Reading, file: Attachment | undefined): void {
  if (file === undefined) return;
  attachments.push(file);
  if (text !== '') mentions.push(file.name ?? 'file');
}

function addResource(reading: Reading, resource: JsonObject): void {
  const uri = stringOf(resource.uri) ?? '';
  const text = stringOf(resource.text);
  if (text === undefined) return addFile(reading, blobFile(uri, resource));
  reading.contexts.push(`${uri}\n${fenced(text)}`);
  if (reading.text !== '') reading.mentions.push(nameOf(uri));
}

/** A fence longer than every row of back-ticks inside. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

function linkedFile({ uri, name }: JsonObject): Attachment | undefined {
  const address = stringOf(uri) ?? '';
  if (address === '') return undefined;
  const path = pathOf(address);
  const given = stringOf(name);
  const file =
    path === undefined ? { kind: kindOf(withoutQuery(address)), url: address } : attachmentAt(path);
  return { ...file, name: given === undefined || given === '' ? nameOf(address) : given };
}

/** The local path of a `file:` address; a path without a scheme is one already. */
function pathOf(uri: string): string | undefined {
  if (uri.startsWith('/')) return uri;
  const found = /^file:\/\/(?:localhost)?(\/[^?#]*)/i.exec(uri);
  return found?.[1] === undefined ? undefined : decoded(found[1]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function nameOf(uri: string): string {
  const name = decoded(baseName(withoutQuery(uri)));
  return name === '' ? uri : name;
}

function withoutQuery(uri: string): string {
  return uri.replace(/[?#].*$/s, '');
}

/** A file that came as base64: an attachment with a `data:` address. */
function embeddedFile(kind: 'image' | 'audio', block: JsonObject): Attachment | undefined {
  const uri = stringOf(block.uri);
  const data = stringOf(block.data) ?? '';
  if (data === '') return uri === undefined ? undefined : { ...linkedFile({ uri }), kind };
  const type = stringOf(block.mimeType) ?? `${kind}/*`;
  const name = uri === undefined ? undefined : nameOf(uri);
  return { kind, url: dataAddress(type, data), ...(name === undefined ? {} : { name }) };
}

function blobFile(uri: string, { blob, mimeType }: JsonObject): Attachment | undefined {
  const data = stringOf(blob);
  if (data === undefined) return uri === '' ? undefined : linkedFile({ uri });
  const name = uri === '' ? 'file' : nameOf(uri);
  return {
    kind: kindOf(name),
    url: dataAddress(stringOf(mimeType) ?? 'application/octet-stream', data),
    name,
  };
}

function dataAddress(type: string, data: string): string {
  return `data:${type};base64,${data}`;
}
