import type { JsonObject, JsonValue } from '@plugboard/protocol';
import { estimateTokens, headOf, tailOf } from '../tokens.ts';

/** The most tokens of one message in a prompt. */
export const MESSAGE_LIMIT = 4_000;

/** The beginning and the end of a text of more than `limit` tokens, with a hint how to read the rest. */
export function cutText(text: string, number: number, limit: number): string {
  if (estimateTokens(text) <= limit) return text;
  const head = headOf(text, limit * 0.6);
  const tail = tailOf(text, limit * 0.3);
  const left = text.length - head.length - tail.length;
  return `${head}\n… [${left} characters of message ${number} are left out here: recall_message with number ${number} and offset ${head.length} reads on] …\n${tail}`;
}

/** Cuts the JSON input of a call. An object keeps its fields, so that providers accept it. */
export function cutInput(json: string, number: number, limit: number): string {
  if (estimateTokens(json) <= limit) return json;
  const value = JSON.parse(json) as JsonValue;
  const shorter = isRecord(value) ? JSON.stringify(cutFields(value, number, limit)) : '';
  if (shorter !== '' && estimateTokens(shorter) <= limit * 1.2) return shorter;
  return JSON.stringify({ cut: cutText(json, number, limit * 0.8) });
}

function isRecord(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Long fields share 70 % of `limit`. */
function cutFields(value: JsonObject, number: number, limit: number): JsonObject {
  const entries = Object.entries(value);
  const long = entries.filter(([, field]) => typeof field === 'string' && estimateTokens(field) > limit / 4);
  const each = (limit * 0.7) / Math.max(1, long.length);
  const cut = (field: string): string => `${headOf(field, each)}… [cut; see message ${number}]`;
  return Object.fromEntries(
    entries.map(([name, field]) => [
      name,
      typeof field === 'string' && estimateTokens(field) > limit / 4 ? cut(field) : field,
    ]),
  );
}
