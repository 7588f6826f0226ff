import { isObject, type JsonValue, operationPrompt, type Turn } from '@plugboard/protocol';

/** What a turn asks for, in words. A model is sent text alone, so that each attached file is named by its address. */
export function textOfTurn(turn: Turn): string {
  if (turn.operation !== undefined) return operationPrompt(turn);
  const { text } = turn;
  const files = [...attachedLines(turn), ...omittedBlocks(turn)];
  return [text, ...files].filter((line) => line !== '').join('\n');
}

function attachedLines({ attachments }: Turn): string[] {
  return attachments.map(({ kind, path, url }) => `Attached ${kind}: ${path ?? url ?? ''}`);
}

/** Of one message, so many content blocks are named. */
const MOST_BLOCKS = 10;

/** A line for each content block that a model is not sent: neither the model nor the host may take it for seen. */
export function omittedBlocks({ extensions }: Turn): string[] {
  const blocks = extensions?.other_blocks;
  if (!Array.isArray(blocks)) return [];
  const lines = blocks
    .slice(0, MOST_BLOCKS)
    .map((block: JsonValue) => `[${blockName(block)} was left out: this agent takes text]`);
  const rest = blocks.length - lines.length;
  return rest > 0 ? [...lines, `[${rest} more blocks were left out]`] : lines;
}

function blockName(block: JsonValue): string {
  const type = isObject(block) && typeof block.type === 'string' ? block.type.slice(0, 40) : 'unknown';
  return `A content block of type ${JSON.stringify(type)}`;
}
