import { objectOf } from '../framing/narrow.ts';
import type { Usage } from '../model/event.ts';
import type { JsonValue } from '../model/json.ts';

/** Names of counts: of this program, of `codex app-server` and of `codex exec`. */
const COUNTS: readonly (readonly [string, string, string])[] = [
  ['input_tokens', 'inputTokens', 'input_tokens'],
  ['output_tokens', 'outputTokens', 'output_tokens'],
  ['cache_read_input_tokens', 'cachedInputTokens', 'cached_input_tokens'],
  ['cache_creation_input_tokens', 'cacheWriteInputTokens', 'cache_write_input_tokens'],
  ['thought_tokens', 'reasoningOutputTokens', 'reasoning_output_tokens'],
];

/** The counts of one request to the model, or of a whole turn. */
export function readCounts(value: JsonValue | undefined): Usage {
  const counted = objectOf(value);
  return Object.fromEntries(
    COUNTS.flatMap(([name, ...fields]) => {
      const count = fields.map((field) => counted[field]).find(Number.isFinite);
      return typeof count === 'number' ? [[name, count]] : [];
    }),
  );
}

/** The sum of two lists of counts. */
export function addCounts(one: Usage, other: Usage): Usage {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}
