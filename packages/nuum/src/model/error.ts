/** Why a model gave no answer. Only some of these are worth another try. */
export type ModelErrorCode =
  | 'not-configured'
  | 'refused-key'
  | 'bad-request'
  | 'too-long'
  | 'rate-limited'
  | 'overloaded'
  | 'unreachable'
  | 'broken-off'
  | 'silent'
  | 'unusable'
  | 'script';

/** A model that gave no answer, and a sentence that says what to do about it. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;
  /** How long the provider wants to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ModelErrorCode,
    message: string,
    more: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'ModelError';
    this.code = code;
    this.retryAfterMs = more.retryAfterMs;
  }
}

const WORTH_ANOTHER_TRY: ReadonlySet<ModelErrorCode> = new Set([
  'rate-limited',
  'overloaded',
  'unreachable',
  'broken-off',
  'silent',
]);

/** Whether asking again can help. */
export function worthAnotherTry(error: unknown): error is ModelError {
  return error instanceof ModelError && WORTH_ANOTHER_TRY.has(error.code);
}

/** What a provider's client throws, as far as it is looked at. */
interface CallFailure {
  readonly message?: unknown;
  readonly statusCode?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: unknown;
  readonly url?: unknown;
}

/** Whatever was thrown on the way to a model and back, as one of the errors above. */
export function toModelError(thrown: unknown, model: string, now: number): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const failure = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as CallFailure;
  const said = typeof failure.message === 'string' ? failure.message : String(thrown);
  // The provider's client follows an answer into its depth; one without a bottom would only come again.
  if (thrown instanceof RangeError)
    return new ModelError('unusable', `The answer of ${model} is nested too deeply to be read.`, {
      cause: thrown,
    });
  if (typeof failure.statusCode !== 'number') return withoutStatus(said, failure, model, thrown);
  const code = codeOf(failure.statusCode, `${said} ${String(failure.responseBody ?? '')}`);
  const retryAfterMs = retryAfter(failure.responseHeaders ?? {}, now);
  return new ModelError(code, sentence(code, failure.statusCode, said, model), {
    cause: thrown,
    retryAfterMs,
  });
}

function withoutStatus(said: string, failure: CallFailure, model: string, cause: unknown): ModelError {
  if (/API key|apiKey/i.test(said)) {
    return new ModelError(
      'not-configured',
      `${said} Set NUUM_API_KEY, or choose another model with NUUM_MODEL.`,
      {
        cause,
      },
    );
  }
  if (/overloaded/i.test(said))
    return new ModelError('overloaded', `The model is overloaded: ${said}`, { cause });
  const where = typeof failure.url === 'string' ? ` at ${new URL(failure.url).origin}` : '';
  const started = !/cannot connect|fetch failed|ECONNREFUSED|ENOTFOUND/i.test(
    `${said} ${String(causeOf(cause))}`,
  );
  return started
    ? new ModelError('broken-off', `The answer of ${model} broke off: ${said}`, { cause })
    : new ModelError('unreachable', `The model${where} cannot be reached: ${said}`, { cause });
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : '';
}

function codeOf(status: number, words: string): ModelErrorCode {
  // The request was taken: a failure that carries this status comes from the stream of the answer.
  if (status < 400) return 'broken-off';
  if (status === 401 || status === 403) return 'refused-key';
  if (status === 429) return 'rate-limited';
  if (status === 408 || status === 409 || status >= 500) return 'overloaded';
  if (
    status === 413 ||
    /too long|too many tokens|context.{0,20}(length|window)|maximum context/i.test(words)
  ) {
    return 'too-long';
  }
  return 'bad-request';
}

function sentence(code: ModelErrorCode, status: number, said: string, model: string): string {
  switch (code) {
    case 'refused-key':
      return `The provider of ${model} refused the key (${status}): ${said}`;
    case 'rate-limited':
      return `The provider of ${model} asks for a pause (${status}): ${said}`;
    case 'too-long':
      return `The conversation is too long for ${model} (${status}): ${said}`;
    case 'overloaded':
      return `The provider of ${model} is in trouble (${status}): ${said}`;
    case 'broken-off':
      return `The answer of ${model} broke off: ${said}`;
    default:
      return `The provider of ${model} refused the request (${status}): ${said}`;
  }
}

/** The header says seconds, or a date; a newer one says milliseconds. */
function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const ms = Number(headers['retry-after-ms']);
  if (Number.isFinite(ms) && ms >= 0 && headers['retry-after-ms'] !== undefined) return ms;
  const value = headers['retry-after'];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
