import { INVALID_REQUEST } from '../../framing/json-rpc.ts';
import { failureOf } from '../../model/ending.ts';
import type { End, Failure } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import { ERROR_CODES } from './wire.ts';

/** Codes for lines that are no request: not JSON, and not JSON-RPC. */
export const LINE_ERROR_CODES = { parse: -32700, invalidRequest: INVALID_REQUEST } as const;

interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonObject;
}

/** `Failure.code` is passed on in `data`, where JSON-RPC has no number for it. */
export function rpcFailure({ message, code }: Failure): RpcFailure {
  if (code === 'auth') return { code: ERROR_CODES.authRequired, message };
  if (code === 'unknown-session') return { code: ERROR_CODES.notFound, message };
  return { code: ERROR_CODES.internal, message, ...(code === undefined ? {} : { data: { code } }) };
}

/** Failures that are a stop reason in ACP, by `Failure.code`. */
const STOP_REASONS: ReadonlySet<string> = new Set(['max_tokens', 'max_turn_requests', 'refusal']);

/** The result of a `session/prompt`, or its error. ACP has no stop reason for a turn that failed. */
export function promptOutcome(end: End): { readonly result: JsonObject } | { readonly error: RpcFailure } {
  const { outcome, error, usage, cost } = end;
  const stopReason = stopReasonOf(outcome, error?.code);
  if (stopReason === undefined) return { error: rpcFailure({ ...error, message: failureOf(end) }) };
  const meta = {
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost: { ...cost } }),
  };
  return { result: { stopReason, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) } };
}

function stopReasonOf(outcome: End['outcome'], code: string | undefined): string | undefined {
  if (outcome === 'success') return 'end_turn';
  if (outcome === 'cancelled') return 'cancelled';
  return outcome === 'error' && code !== undefined && STOP_REASONS.has(code) ? code : undefined;
}
