import type { HostEffect } from '../../contract/host-side.ts';
import { listOf, objectOf, stringOf, stringsOf } from '../../framing/narrow.ts';
import { readUsage } from '../../framing/usage.ts';
import type { Cost, End, Failure, Usage } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import { tellSynthetic } from './content.ts';
import { beginTurn, endTurn, loseSession } from './inputs.ts';
import { type ClaudeHostState, tell } from './state.ts';

/** A `result` line ends the running turn. */
export function readResult(state: ClaudeHostState, value: JsonObject, out: HostEffect[]): void {
  if (isUnknownSession(state, value) && state.resumed !== undefined)
    return loseSession(state, state.resumed, out);
  const cost = costOf(state, value);
  if (state.turn === undefined) {
    const input = state.sent.shift();
    if (input === undefined) {
      const text = 'Claude Code has ended a turn that had not begun.';
      return tell(state, { type: 'log', level: 'debug', text, source: 'agent' }, out);
    }
    beginTurn(state, input, out);
  }
  endTurn(state, readEnd(state, value, cost, out), out);
}

/** The program says so before anything else, and exits. */
function isUnknownSession({ isReady, turn }: ClaudeHostState, value: JsonObject): boolean {
  const said = stringsOf(value.errors).join('\n');
  return !isReady && turn === undefined && value.is_error === true && said.includes('No conversation found');
}

/** `is_error` decides and not `subtype`: a refusal of the model's API has the subtype `success`. */
function readEnd(state: ClaudeHostState, value: JsonObject, cost: Cost | undefined, out: HostEffect[]): End {
  const { turn } = state;
  const isCancelled = value.is_error === true && turn?.interrupted === true;
  const said = stringOf(value.result);
  const error =
    value.is_error === true && !isCancelled ? readFailure(value, turn?.lastText ?? '') : undefined;
  if (turn !== undefined && turn.synthetic === said && error !== undefined) turn.synthetic = undefined;
  tellSynthetic(state, out);
  if (error === undefined && !isCancelled) tellUnsaid(state, said, out);
  const usage = usageOf(state, value);
  return {
    type: 'end',
    outcome: isCancelled ? 'cancelled' : error === undefined ? 'success' : 'error',
    text: error === undefined && !isCancelled ? (said ?? turn?.lastText ?? '') : (turn?.lastText ?? ''),
    ...(error === undefined ? {} : { error }),
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
    ...(typeof value.duration_ms === 'number' ? { durationMs: value.duration_ms } : {}),
  };
}

/** A local command may answer in `result` alone. */
function tellUnsaid(state: ClaudeHostState, said: string | undefined, out: HostEffect[]): void {
  if (said === undefined || said === '' || state.turn === undefined || state.turn.lastText !== '') return;
  state.turn.lastText = said;
  tell(state, { type: 'message', text: said, media: [] }, out);
}

/** Texts that begin so are for the developers of the program. */
const DIAGNOSTIC = '[ede_diagnostic]';

/** An error that the model's own last message says as well is `told`. */
function readFailure(value: JsonObject, lastText: string): Failure {
  const errors = stringsOf(value.errors);
  const words = stringOf(value.result) ?? errors.find((error) => !error.startsWith(DIAGNOSTIC));
  const detail = errors.filter((error) => error !== words).join('\n');
  const code = [value.api_error_type, value.terminal_reason, value.subtype].find(
    (one) => typeof one === 'string' && one !== '' && one !== 'success',
  );
  return {
    message: words === undefined || words === '' ? 'Claude Code stopped before it had answered.' : words,
    ...(words !== undefined && words !== '' && words === lastText ? { told: true } : {}),
    ...(typeof code === 'string' ? { code } : {}),
    ...(detail === '' ? {} : { detail }),
  };
}

/** `total_cost_usd` counts from the start of the process. */
function costOf(state: ClaudeHostState, { total_cost_usd: total }: JsonObject): Cost | undefined {
  if (typeof total !== 'number' || !Number.isFinite(total)) return undefined;
  const before = total < state.cost ? 0 : state.cost;
  state.cost = total;
  return { amount: Number((total - before).toFixed(10)), currency: 'USD' };
}

function usageOf({ contextUsed }: ClaudeHostState, value: JsonObject): Usage | undefined {
  const counted = readUsage(value.usage);
  if (counted === undefined) return undefined;
  const sizes = listOf(Object.values(objectOf(value.modelUsage)).map((model) => model ?? null))
    .map((model) => objectOf(model).contextWindow)
    .filter((size) => typeof size === 'number');
  return {
    ...counted,
    ...(contextUsed === 0 ? {} : { context_used: contextUsed }),
    ...(sizes.length === 0 ? {} : { context_size: Math.max(...sizes) }),
  };
}
