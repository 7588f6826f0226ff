import { stringOf } from '../../framing/narrow.ts';
import { readUsage } from '../../framing/usage.ts';
import type { End, Failure, Outcome } from '../../model/event.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';

/** The end of a turn as a result line tells it. `lastText` stands in for a result without a text. */
export function readResult(value: JsonObject, lastText: string): End {
  const outcome = outcomeOf(value);
  const text = stringOf(value.result);
  const usage = readUsage(value.usage);
  return {
    type: 'end',
    outcome,
    text: outcome === 'error' ? lastText : (text ?? lastText),
    ...(outcome === 'error' ? { error: describeFailure(value, text) } : {}),
    ...(usage === undefined ? {} : { usage }),
    ...(typeof value.duration_ms === 'number' ? { durationMs: value.duration_ms } : {}),
  };
}

/** Whether `subtype` is a known kind of result. An unknown kind is reported as a fault and still ends its turn. */
export function isKnownResult({ subtype }: JsonObject): boolean {
  return subtype === 'success' || subtype === 'cancelled' || isError(subtype);
}

/** Some agents say more than `error`: `error_max_turns`, `error_during_execution`. */
function isError(subtype: JsonValue | undefined): boolean {
  return typeof subtype === 'string' && subtype.startsWith('error');
}

function outcomeOf({ subtype, is_error: isErrorFlag }: JsonObject): Outcome {
  if (subtype === 'cancelled') return 'cancelled';
  return isError(subtype) || isErrorFlag === true ? 'error' : 'success';
}

function describeFailure({ subtype }: JsonObject, text: string | undefined): Failure {
  const message = text ?? 'The agent failed without saying why.';
  return typeof subtype === 'string' && subtype.startsWith('error_')
    ? { message, code: subtype }
    : { message };
}
