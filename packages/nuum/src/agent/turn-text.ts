import { isObject, type JsonValue, operationPrompt, type Turn } from '@plugboard/protocol';

/** The text of a turn for the model, which is sent text alone: attached files are named by path or URL. */
export function textOfTurn(turn: Turn): string {
  if (turn.operation !== undefined) return operationPrompt(turn);
  const { text } = turn;
  const files = [...attachedLines(turn), ...omittedBlocks(turn)];
  return [text, ...files].filter((line) => line !== '').join('\n');
}

function attachedLines({ attachments }: Turn): string[] {
  return attachments.map(({ kind, path, url }) => `Attached ${kind}: ${path ?? url ?? ''}`);
}

/** The limit of named blocks of one message. */
const MOST_BLOCKS = 10;

/** One line for each content block that is not text: it is told to the model and to the host. */
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
