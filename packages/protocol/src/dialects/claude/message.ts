import { isObject, jsonLine } from '../../framing/json.ts';
import { listOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { addressOf } from '../../model/media.ts';
import type { Turn } from '../../model/turn.ts';

/** Blocks of a host's message that the program takes. Others could make the model's API refuse the whole message. */
const BLOCKS: readonly (JsonValue | undefined)[] = ['image', 'document'];

/**
 * The `user` line of a turn. It is built from text and known blocks alone: the program exits at a line with another
 * `role`. Attachments are named, because their contents are not read here.
 */
export function writeTurn({ text, attachments, extensions }: Turn, uuid: string): string {
  const named = attachments
    .filter((file) => addressOf(file) !== '')
    .map((file) => `Attached ${file.kind}: ${addressOf(file)}`);
  const whole = [text, ...named].filter((part) => part !== '').join('\n\n');
  const blocks = listOf(extensions?.other_blocks).filter(isBlock);
  const content =
    blocks.length === 0 ? whole : [...(whole === '' ? [] : [{ type: 'text', text: whole }]), ...blocks];
  const message = { role: 'user', content };
  return jsonLine({ type: 'user', message, parent_tool_use_id: null, uuid });
}

function isBlock(value: JsonValue): value is JsonObject {
  return isObject(value) && BLOCKS.includes(value.type) && isObject(value.source);
}
