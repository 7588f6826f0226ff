import { SendError, type SendErrorOptions } from '../channel.ts';

/** What the Graph API says about a call that it refuses. */
export interface GraphError {
  readonly code: number;
  readonly message: string;
}

/** The customer service window of 24 hours is closed: only templates are delivered. */
export const WINDOW_CLOSED = 131047;

/** Too many messages to one person in a short time. */
const PAIR_LIMIT = 131056;
const PAIR_LIMIT_MS = 6_000;

const LIMITS = new Set([4, 80007, 130429, 131048, PAIR_LIMIT]);
const LOCKED_OUT = new Set([0, 3, 10, 190, 131005, 131031, 133010]);
const MAYBE_DONE = new Set([1, 2, 131000, 131016]);

/** Permissions that the token lacks have the codes 200 to 299. */
function isLockedOut(code: number): boolean {
  return LOCKED_OUT.has(code) || (code >= 200 && code <= 299);
}

/** Reads the error of an answer; undefined where the answer is not one of the Graph API. */
export function readGraphError(body: string): GraphError | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    const { code, message, error_data } = error as { code: unknown; message: unknown; error_data?: unknown };
    if (typeof code !== 'number') return undefined;
    const details = (error_data as { details?: unknown } | undefined)?.details;
    const words = [message, details].filter((one): one is string => typeof one === 'string' && one !== '');
    return { code, message: words.join(': ').slice(0, 300).toWellFormed() || `error ${code}` };
  } catch {
    return undefined;
  }
}

/** The `SendError` of a refused call, by its HTTP status and the error code of the Graph API. */
export function sendErrorOf(status: number, error: GraphError | undefined, retryAfterMs?: number): SendError {
  const words = `WhatsApp answered ${status}${error === undefined ? '' : ` (${error.code}): ${error.message}`}`;
  const code = error?.code;
  if (status === 429 || (code !== undefined && LIMITS.has(code)))
    return new SendError('later', words, waitAfter(code, retryAfterMs));
  if (status === 401 || (code !== undefined && isLockedOut(code)))
    return new SendError('never', words, { stopsChannel: true });
  const isRefused = status >= 400 && status < 500 && code !== undefined && !MAYBE_DONE.has(code);
  return new SendError(isRefused ? 'never' : 'unknown', words);
}

function waitAfter(code: number | undefined, retryAfterMs: number | undefined): SendErrorOptions {
  if (code === PAIR_LIMIT) return { afterMs: Math.max(PAIR_LIMIT_MS, retryAfterMs ?? 0), scope: 'place' };
  return { scope: 'channel', ...(retryAfterMs === undefined ? {} : { afterMs: retryAfterMs }) };
}
