import { isObject } from '../../framing/json.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { addressOf } from '../../model/media.ts';
import type { FileDiff, FileLocation, ToolContent, ToolKind } from '../../model/tool.ts';
import { readContent } from './content.ts';

const KINDS: readonly string[] = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'other',
];

/** The kind of a tool; undefined where the agent says none. */
export function readKind(value: JsonValue | undefined): ToolKind | undefined {
  if (typeof value !== 'string') return undefined;
  if (value === 'switch_mode') return 'switch-mode';
  return KINDS.includes(value) ? (value as ToolKind) : 'other';
}

export function readLocations(value: JsonValue | undefined): FileLocation[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return listOf(value).flatMap((item) => {
    const { path, line } = objectOf(item);
    if (typeof path !== 'string') return [];
    return [{ path, ...(typeof line === 'number' && line >= 1 ? { line } : {}) }];
  });
}

/**
 * The `content` of a tool call. A terminal is left out: this host has none, and some agents name one nevertheless.
 */
export function readToolContent(value: JsonValue | undefined): ToolContent[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return listOf(value).flatMap(readPart);
}

function readPart(value: JsonValue): ToolContent[] {
  const part = objectOf(value);
  if (part.type === 'diff') return readDiff(part);
  if (part.type !== 'content') return [];
  const { text, media } = readContent(part.content);
  const said = media === undefined ? (text ?? '') : nameOf(media.name, addressOf(media));
  return said === '' ? [] : [{ type: 'text', text: said }];
}

/** Data in the address would flood the text. */
function nameOf(name: string | undefined, address: string): string {
  if (address.startsWith('data:')) return `[${address.slice('data:'.length, address.indexOf(';'))}]`;
  return name === undefined || address.endsWith(name) ? address : `${name}: ${address}`;
}

function readDiff({ path, oldText, newText }: JsonObject): FileDiff[] {
  if (typeof path !== 'string') return [];
  return [
    {
      type: 'diff',
      path,
      ...(typeof oldText === 'string' && oldText !== '' ? { oldText } : {}),
      newText: stringOf(newText) ?? '',
    },
  ];
}

export function diffsIn(content: readonly ToolContent[]): FileDiff[] {
  return content.filter((part) => part.type === 'diff');
}

/** The text of the parts; empty where they have none. */
export function textIn(content: readonly ToolContent[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** `rawOutput` as text: text itself, a field that holds the text, or JSON. */
export function rawText(raw: JsonValue | undefined): string {
  if (raw === undefined || raw === null) return '';
  if (typeof raw === 'string') return raw;
  const { output, stdout, content, error } = isObject(raw) ? raw : {};
  const said = [output, stdout, content, error].find((one) => typeof one === 'string' && one !== '');
  return stringOf(said) ?? JSON.stringify(raw);
}
