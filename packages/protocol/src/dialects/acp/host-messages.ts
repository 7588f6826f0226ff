import type { HostEffect } from '../../contract/host-side.ts';
import { stringOf } from '../../framing/narrow.ts';
import type { JsonObject } from '../../model/json.ts';
import { tell } from '../../rpc-host/state.ts';
import { readContent } from './content.ts';
import type { Conversation, RunningTurn, StreamedBlock } from './host-state.ts';

/**
 * A chunk of a message or thought. Chunks with one `messageId` are one message; where the agent gives no ids, a tool
 * call or a thought divides messages.
 */
export function readChunk(
  conversation: Conversation,
  turn: RunningTurn,
  kind: StreamedBlock['kind'],
  update: JsonObject,
  out: HostEffect[],
): void {
  const messageId = stringOf(update.messageId);
  const block = continueBlock(conversation, turn, kind, messageId, out);
  const { text = '', media } = readContent(update.content);
  if (media !== undefined && kind === 'output') block.media.push(media);
  if (text === '') return;
  block.text += text;
  if (!block.isBlank) return tell(conversation, { type: 'delta', kind, text }, out);
  if (block.text.trim() === '') return;
  block.isBlank = false;
  tell(conversation, { type: 'delta', kind, text: block.text }, out);
}

function continueBlock(
  conversation: Conversation,
  turn: RunningTurn,
  kind: StreamedBlock['kind'],
  messageId: string | undefined,
  out: HostEffect[],
): StreamedBlock {
  const { block } = turn;
  if (block?.kind === kind && block.messageId === messageId) return block;
  endBlock(conversation, turn, out);
  const begun: StreamedBlock = { kind, messageId, text: '', isBlank: true, media: [] };
  turn.block = begun;
  return begun;
}

/** Tells the message or thought whose chunks have come. White space alone is none. */
export function endBlock(conversation: Conversation, turn: RunningTurn, out: HostEffect[]): void {
  const { block } = turn;
  turn.block = undefined;
  if (block === undefined) return;
  const { kind, text, isBlank, media } = block;
  if (kind === 'thinking') {
    if (!isBlank) tell(conversation, { type: 'thinking', text, streamed: true }, out);
    return;
  }
  if (isBlank && media.length === 0) return;
  if (!isBlank) turn.lastText = text;
  const said = isBlank ? { text: '' } : { text, streamed: true as const };
  tell(conversation, { type: 'message', ...said, media }, out);
}
