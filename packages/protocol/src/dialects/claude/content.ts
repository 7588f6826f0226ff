import type { HostEffect } from '../../contract/host-side.ts';
import { isObject } from '../../framing/json.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { ToolResult } from '../../model/event.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { isPlanTool, notePlanCall, notePlanResult } from './plan.ts';
import { type ClaudeHostState, tell } from './state.ts';
import { describeCall, partsOf, titleOf } from './tools.ts';

/** An `assistant` line: one block of the answer. A subagent's blocks are no part of the answer. */
export function readAssistant(state: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  const message = objectOf(value.message);
  const isSubagent = typeof value.parent_tool_use_id === 'string';
  const { content } = message;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  const isSynthetic = message.model === '<synthetic>' || value.is_api_error_message === true;
  for (const block of blocks.map(objectOf)) {
    if (isSubagent) readSubagentBlock(state, block, out);
    else readBlock(state, block, isSynthetic, out);
  }
}

function readSubagentBlock(
  state: ClaudeHostState,
  { type, name, input }: JsonObject,
  out: HostEffect[],
): void {
  if (type !== 'tool_use' || typeof name !== 'string') return;
  tell(state, { type: 'progress', text: titleOf(name, objectOf(input), state.workspace) ?? name }, out);
}

function readBlock(state: ClaudeHostState, block: JsonObject, isSynthetic: boolean, out: HostEffect[]): void {
  const { type, id, name } = block;
  if (type === 'text' && typeof block.text === 'string') {
    if (isSynthetic) keepSynthetic(state, block.text, out);
    else tellMessage(state, block.text, out);
  } else if (type === 'thinking' && typeof block.thinking === 'string')
    tellThought(state, block.thinking, out);
  else if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string') {
    tellSynthetic(state, out);
    if (isPlanTool(name)) notePlanCall(state, id, name, objectOf(block.input), out);
    else tell(state, describeCall(id, name, block.input ?? {}, state.workspace), out);
  }
}

/** Keeps a text of the program itself until `result` shows whether it is an error that `result` repeats. */
function keepSynthetic(state: ClaudeHostState, text: string, out: HostEffect[]): void {
  tellSynthetic(state, out);
  if (state.turn !== undefined) state.turn.synthetic = text;
}

/** Tells the text that is kept: something else follows, so that no `result` repeats it. */
export function tellSynthetic(state: ClaudeHostState, out: HostEffect[]): void {
  const text = state.turn?.synthetic;
  if (state.turn === undefined || text === undefined) return;
  state.turn.synthetic = undefined;
  tellMessage(state, text, out);
}

function tellMessage(state: ClaudeHostState, text: string, out: HostEffect[]): void {
  if (state.turn?.synthetic !== undefined) tellSynthetic(state, out);
  if (state.turn !== undefined) state.turn.lastText = text;
  const streamed = takeBlock(state, 'output', text) ? { streamed: true as const } : {};
  tell(state, { type: 'message', text, media: [], ...streamed }, out);
}

/** Some models keep their thoughts to themselves: the block is there, and empty. */
function tellThought(state: ClaudeHostState, text: string, out: HostEffect[]): void {
  const streamed = takeBlock(state, 'thinking', text) ? { streamed: true as const } : {};
  if (text !== '') tell(state, { type: 'thinking', text, ...streamed }, out);
}

/** Whether the deltas of the streamed block were exactly `text`. The block is over. */
function takeBlock(state: ClaudeHostState, kind: 'output' | 'thinking', text: string): boolean {
  const { block } = state;
  if (block?.kind !== kind) return false;
  state.block = undefined;
  return block.text === text;
}

/** A `user` line: tool results. Echoes of our own lines and remarks about interrupts are no messages. */
export function readUser(state: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  if (value.isReplay === true || typeof value.parent_tool_use_id === 'string') return;
  const details = objectOf(value.tool_use_result);
  for (const block of listOf(objectOf(value.message).content)) {
    if (!isObject(block) || block.type !== 'tool_result' || typeof block.tool_use_id !== 'string') continue;
    const result = readResult(block, block.tool_use_id, details);
    if (!notePlanResult(state, result, details, out)) tell(state, result, out);
  }
}

/** `is_error` is absent from some results of tools that succeeded. */
function readResult(block: JsonObject, id: string, details: JsonObject): ToolResult {
  const { content = '', is_error: isErrorFlag } = block;
  const text = typeof content === 'string' ? content : listOf(content).map(textOfBlock).join('\n');
  const isError = isErrorFlag === true;
  const parts = partsOf(details, isError, text);
  return { type: 'tool-result', id, content: text, isError, ...(parts.length === 0 ? {} : { parts }) };
}

/** A block without text appears by its type, for example `[image]`. */
function textOfBlock(value: JsonValue): string {
  const { type, text } = objectOf(value);
  return type === 'text' && typeof text === 'string' ? text : `[${stringOf(type) ?? 'block'}]`;
}
