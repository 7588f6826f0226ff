import { isObject, show } from '../../framing/json.ts';
import { stringOf } from '../../framing/narrow.ts';
import type { Event } from '../../model/event.ts';
import { faultEvent } from '../../model/fault.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';

/**
 * The events of an assistant line, one per content block: text, `tool_use`, thinking. A malformed block yields a fault,
 * and the remaining blocks are still read.
 */
export function readAssistant(value: JsonObject, line: string): Event[] {
  return blocksOf(value).map((block) => readBlock(block, line));
}

function readBlock(block: JsonValue, line: string): Event {
  if (!isObject(block)) return faultEvent('malformed-frame', 'A content block must be an object.', line);
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string'
        ? { type: 'message', text: block.text, media: [] }
        : faultEvent('malformed-frame', 'A text block has no `text`.', line);
    case 'thinking':
      return { type: 'thinking', text: stringOf(block.thinking) ?? '' };
    case 'tool_use':
      return readToolUse(block, line);
    default:
      return faultEvent('unknown-frame', `Unknown content block ${show(block.type)}.`, line);
  }
}

function readToolUse({ id, name, input = {} }: JsonObject, line: string): Event {
  if (typeof id === 'string' && typeof name === 'string') {
    return { type: 'tool-call', id, name, input };
  }
  return faultEvent('malformed-frame', 'A tool call needs `id` and `name`.', line);
}

/** The tool results of a user line, the shape in which some agents report them. */
export function readToolResults(value: JsonObject, line: string): Event[] {
  const results = blocksOf(value).filter((block) => isObject(block) && block.type === 'tool_result');
  if (results.length > 0) return results.map((block) => readToolResult(block, line));
  return [faultEvent('unknown-frame', 'A user line from an agent holds no tool result.', line)];
}

/** Reads one tool result. `content` is a string, or a list of blocks whose texts are joined by line ends. */
export function readToolResult(block: JsonValue | undefined, line: string): Event {
  if (!isObject(block) || typeof block.tool_use_id !== 'string') {
    return faultEvent('malformed-frame', 'A tool result needs `tool_use_id`.', line);
  }
  const content = block.content ?? '';
  const texts = typeof content === 'string' ? [content] : listOf(content).map(textOfBlock);
  return {
    type: 'tool-result',
    id: block.tool_use_id,
    content: texts.join('\n'),
    isError: block.is_error === true,
  };
}

/** A block without text appears by its type, for example `[image]`, so that the reader sees that it was there. */
function textOfBlock(block: JsonValue): string {
  if (!isObject(block)) return show(block);
  const { type, text } = block;
  return type === 'text' && typeof text === 'string' ? text : `[${stringOf(type) ?? 'block'}]`;
}

function blocksOf({ message }: JsonObject): readonly JsonValue[] {
  const content = isObject(message) ? message.content : undefined;
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  return value === undefined ? [] : [value];
}
