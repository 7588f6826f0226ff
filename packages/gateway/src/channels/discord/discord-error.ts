import { SendError, type SendErrorOptions, type SendProblem } from '../channel.ts';

/** An answer of Discord that is not 2xx. Has no `cause`: requests and library errors carry tokens. */
export class DiscordError extends SendError {
  readonly status: number;
  /** The code in the body; 0 where there is none. */
  readonly code: number;

  constructor(
    status: number,
    code: number,
    problem: SendProblem,
    message: string,
    options: SendErrorOptions = {},
  ) {
    super(problem, message, options);
    this.name = 'DiscordError';
    this.status = status;
    this.code = code;
  }
}

/** Codes of `later`: rate limits, slow mode, features that are switched off for a time, overload. */
const PASSING = new Set([20_016, 20_028, 30_046, 40_004, 40_006, 130_000]);

const LONGEST_REASON = 300;

interface ErrorBody {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly errors?: unknown;
  readonly retry_after?: unknown;
  readonly global?: unknown;
}

/** The `DiscordError` of an answer that is not 2xx. `body` is parsed JSON; undefined for any other body. */
export function errorOf(status: number, headers: Headers, body: unknown): DiscordError {
  const json = typeof body === 'object' && body !== null ? (body as ErrorBody) : undefined;
  const code = typeof json?.code === 'number' ? json.code : 0;
  const message = `Discord answered ${status}${reasonIn(json, code)}.`;
  const fail = (problem: SendProblem, options?: SendErrorOptions): DiscordError =>
    new DiscordError(status, code, problem, message, options);
  if (status === 429) return fail('later', waitIn(headers, json));
  if (status === 413) return fail('never');
  // A proxy may answer 4xx without JSON after Discord has taken the message.
  if (json === undefined || status < 400 || status >= 500 || status === 408) return fail('unknown');
  if (status === 401) return fail('never', { stopsChannel: true });
  return fail(PASSING.has(code) ? 'later' : 'never');
}

function reasonIn(json: ErrorBody | undefined, code: number): string {
  if (typeof json?.message !== 'string') return '';
  const details = json.errors === undefined ? '' : ` ${JSON.stringify(json.errors)}`;
  return ` (${code}: ${`${json.message}${details}`.slice(0, LONGEST_REASON).toWellFormed()})`;
}

function waitIn(headers: Headers, json: ErrorBody | undefined): SendErrorOptions {
  // `Retry-After` has whole seconds, `retry_after` has fractions.
  const secs = Number(json?.retry_after ?? headers.get('retry-after') ?? Number.NaN);
  const isGlobal = json?.global === true || headers.has('x-ratelimit-global');
  return {
    scope: isGlobal ? 'channel' : 'place',
    ...(Number.isFinite(secs) && secs >= 0 ? { afterMs: Math.ceil(secs * 1_000) } : {}),
  };
}
