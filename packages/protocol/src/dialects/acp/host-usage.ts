import type { HostEffect } from '../../contract/host-side.ts';
import { isObject } from '../../framing/json.ts';
import { objectOf } from '../../framing/narrow.ts';
import type { Cost, Usage } from '../../model/event.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { tell } from '../../rpc-host/state.ts';
import type { Conversation } from './host-state.ts';

/** A `usage_update`: the tokens of the context, and the cost of the whole session. */
export function readUsageUpdate(conversation: Conversation, update: JsonObject, out: HostEffect[]): void {
  const { turn } = conversation;
  const { used, size } = update;
  const usage = {
    ...(isCount(used) ? { context_used: used } : {}),
    ...(isCount(size) ? { context_size: size } : {}),
  };
  const cost = noteCost(conversation, update.cost);
  if (turn === undefined) return;
  const isNew =
    JSON.stringify([turn.usage.context_used, turn.usage.context_size, turn.cost]) !==
    JSON.stringify([usage.context_used, usage.context_size, cost ?? turn.cost]);
  turn.usage = { ...turn.usage, ...usage };
  turn.cost = cost ?? turn.cost;
  if (isNew) tell(conversation, { type: 'usage', usage, ...(cost === undefined ? {} : { cost }) }, out);
}

/** The cost of the turn. What a session that was gone on with has cost before is unknown until the agent says it. */
function noteCost(conversation: Conversation, value: JsonValue | undefined): Cost | undefined {
  const { amount, currency } = objectOf(value);
  if (typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0) return undefined;
  conversation.costNow = amount;
  const { costBefore } = conversation;
  if (costBefore === undefined || typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
    return undefined;
  const spent = amount - (amount < costBefore ? 0 : costBefore);
  return { amount: Number(spent.toFixed(10)), currency };
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** Names of the protocol, of extensions, and of the model of this program. */
const COUNTS: readonly (readonly [string, readonly string[]])[] = [
  ['input_tokens', ['inputTokens', 'input_tokens']],
  ['output_tokens', ['outputTokens', 'output_tokens']],
  ['cache_read_input_tokens', ['cachedReadTokens', 'cachedInputTokens']],
  ['cache_creation_input_tokens', ['cachedWriteTokens']],
  ['thought_tokens', ['thoughtTokens', 'reasoningOutputTokens']],
  ['total_tokens', ['totalTokens']],
];

/** The tokens that the answer to a prompt names, in `usage` or in `_meta`. */
export function readPromptUsage(result: JsonObject): Usage {
  const counted = isObject(result.usage)
    ? result.usage
    : objectOf(objectOf(objectOf(result._meta).quota).token_count);
  return Object.fromEntries(
    COUNTS.flatMap(([name, fields]) => {
      const count = fields.map((field) => counted[field]).find(isCount);
      return count === undefined ? [] : [[name, count]];
    }),
  );
}
