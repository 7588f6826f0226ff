import type { HostEffect } from '../../contract/host-side.ts';
import { objectOf } from '../../framing/narrow.ts';
import type { JsonObject } from '../../model/json.ts';
import { type ClaudeHostState, tell } from './state.ts';

/** A `stream_event` line: an event of the model's API while it answers. */
export function readStreamEvent(state: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  if (typeof value.parent_tool_use_id === 'string') return;
  const event = objectOf(value.event);
  switch (event.type) {
    case 'content_block_delta':
      return readDelta(state, objectOf(event.delta), out);
    case 'content_block_start':
      return beginBlock(state, objectOf(event.content_block), out);
    case 'message_start':
      return noteUsage(state, objectOf(objectOf(event.message).usage));
    case 'message_delta':
      noteUsage(state, objectOf(event.usage));
      if (objectOf(event.delta).stop_reason === 'tool_use')
        tell(state, { type: 'usage', usage: { context_used: state.contextUsed } }, out);
      return;
    default:
  }
}

/** A block whose whole text did not come broke off: the model is asked again, and its deltas are void. */
function beginBlock(state: ClaudeHostState, { type }: JsonObject, out: HostEffect[]): void {
  const { block } = state;
  if (block !== undefined && block.text !== '')
    tell(state, { type: 'delta', kind: block.kind, text: '', restart: true }, out);
  state.block =
    type === 'text'
      ? { kind: 'output', text: '' }
      : type === 'thinking'
        ? { kind: 'thinking', text: '' }
        : undefined;
}

function readDelta(state: ClaudeHostState, delta: JsonObject, out: HostEffect[]): void {
  const { block } = state;
  const text =
    delta.type === 'text_delta' ? delta.text : delta.type === 'thinking_delta' ? delta.thinking : undefined;
  if (block === undefined || typeof text !== 'string' || text === '') return;
  block.text += text;
  tell(state, { type: 'delta', kind: block.kind, text }, out);
}

/** The tokens that the model has in view: all that it read, and what it has written. */
function noteUsage(state: ClaudeHostState, usage: JsonObject): void {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage;
  if (typeof input_tokens !== 'number' || input_tokens === 0) return;
  const parts = [input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens];
  state.contextUsed = parts.reduce<number>((sum, part) => sum + (typeof part === 'number' ? part : 0), 0);
}
