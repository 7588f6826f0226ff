import { operationPrompt, type Turn } from '@plugboard/protocol';

/** What a turn asks for, in words. A model is sent text alone, so that each attached file is named by its address. */
export function textOfTurn(turn: Turn): string {
  if (turn.operation !== undefined) return operationPrompt(turn);
  const { text, attachments } = turn;
  const files = attachments.map(({ kind, path, url }) => `Attached ${kind}: ${path ?? url ?? ''}`);
  return [text, ...files].filter((line) => line !== '').join('\n');
}
