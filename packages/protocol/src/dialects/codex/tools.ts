import {
  describeItem,
  diffsOf,
  filesOf,
  isToolItem,
  REFUSED,
  resultOfItem,
} from '../../codex-common/items.ts';
import type { HostEffect } from '../../contract/host-side.ts';
import { stringOf } from '../../framing/narrow.ts';
import { wellFormedTail } from '../../model/gathered.ts';
import type { JsonObject } from '../../model/json.ts';
import { tell } from '../../rpc-host/state.ts';
import type { Conversation, RunningTurn } from './state.ts';

/** Limit of the output of a running command in one `tool-update`. */
const TAIL_CHARS = 4_000;

/** Time between two updates of a command that prints. */
const OUTPUT_MS = 300;

/** `item/started` of a tool. */
export function beginTool(
  conversation: Conversation,
  turn: RunningTurn,
  item: JsonObject,
  out: HostEffect[],
): void {
  const { id } = item;
  if (typeof id !== 'string' || !isToolItem(item) || turn.tools.has(id)) return;
  turn.tools.set(id, { id, item, output: '', isPrinting: false, refusal: undefined });
  tell(conversation, describeItem(id, item), out);
}

/** `item/completed` of a tool. A call without `item/started` gets its `tool-call` here. */
export function completeTool(
  conversation: Conversation,
  turn: RunningTurn,
  item: JsonObject,
  out: HostEffect[],
): void {
  const { id } = item;
  if (typeof id !== 'string' || !isToolItem(item)) return;
  beginTool(conversation, turn, item, out);
  const tool = turn.tools.get(id);
  turn.tools.delete(id);
  for (const path of filesOf(item)) turn.files.add(path);
  tell(conversation, resultOfItem(id, item, tool?.refusal), out);
}

/** Ends the calls of a turn that is over: each call has a result. */
export function endTools(conversation: Conversation, turn: RunningTurn, out: HostEffect[]): void {
  for (const { id, refusal } of turn.tools.values()) {
    const content = refusal ?? 'The tool did not finish.';
    tell(conversation, { type: 'tool-result', id, content, isError: true }, out);
  }
  turn.tools.clear();
}

/** Notes that a person or a rule has refused a call, and why. */
export function noteRefusal(turn: RunningTurn, id: string, reason: string | undefined): void {
  const tool = turn.tools.get(id);
  if (tool !== undefined) tool.refusal = reason === undefined ? REFUSED : `${REFUSED} ${reason}`;
}

/** `outputDelta` of a running command. It is shown after `OUTPUT_MS`, because a command may print a flood of lines. */
export function addOutput(
  { key }: Conversation,
  turn: RunningTurn,
  { itemId, delta }: JsonObject,
  out: HostEffect[],
): void {
  const tool = turn.tools.get(stringOf(itemId) ?? '');
  if (tool === undefined || typeof delta !== 'string' || delta === '') return;
  if (!turn.showsOutput) out.push({ type: 'timer', name: `output:${key}`, ms: OUTPUT_MS });
  turn.showsOutput = true;
  tool.output = wellFormedTail(tool.output + delta, TAIL_CHARS);
  tool.isPrinting = true;
}

/** Shows the end of the output of commands that still run. */
export function tellOutput(conversation: Conversation, out: HostEffect[]): void {
  const { turn } = conversation;
  if (turn === undefined) return;
  turn.showsOutput = false;
  for (const tool of turn.tools.values()) {
    if (!tool.isPrinting) continue;
    tool.isPrinting = false;
    const { id, output } = tool;
    tell(conversation, { type: 'tool-update', id, content: [{ type: 'output', output }] }, out);
  }
}

/** `patchUpdated`: the model has written more of a `fileChange`. */
export function updateChange(
  conversation: Conversation,
  turn: RunningTurn,
  { itemId, changes }: JsonObject,
  out: HostEffect[],
): void {
  const tool = turn.tools.get(stringOf(itemId) ?? '');
  const content = diffsOf(changes);
  if (tool === undefined || content.length === 0) return;
  tool.item = { ...tool.item, changes: changes ?? [] };
  tell(conversation, { type: 'tool-update', id: tool.id, content }, out);
}
