/** A request to a model that failed. The code and the sentence are those of the program that asked. */
export class ModelError extends Error {
  readonly code: string;
  /** From `retry-after`. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: string,
    message: string,
    more: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = 'ModelError';
    this.code = code;
    this.retryAfterMs = more.retryAfterMs;
  }
}

/** Thrown when no part of an answer came for `ms` milliseconds. */
export class SilenceError extends Error {
  readonly ms: number;

  constructor(ms: number) {
    super(`nothing came for ${ms} ms`);
    this.name = 'SilenceError';
    this.ms = ms;
  }
}

/** Thrown when an answer exceeds a limit. The message continues the words "the answer". */
export class OversizeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OversizeError';
  }
}

/** `broken-off`: the answer began and did not end; `unusable`: it cannot be read and would come the same again. */
type FailureKind =
  | 'not-configured'
  | 'refused-key'
  | 'bad-request'
  | 'too-long'
  | 'rate-limited'
  | 'overloaded'
  | 'unreachable'
  | 'broken-off'
  | 'silent'
  | 'unusable';

/** A classified failure of a request. */
export interface Failure {
  readonly kind: FailureKind;
  /** The message of the client or of the provider; the body of the response when there is none. */
  readonly said: string;
  /** From 400 on. */
  readonly status?: number;
  readonly body: string;
  readonly url?: string;
  readonly retryAfterMs?: number;
  /** Only when the silence was timed here, and not by the HTTP client. */
  readonly silentMs?: number;
}

/** The properties of the SDK's errors that are read here. */
interface ClientError {
  readonly message?: unknown;
  readonly statusCode?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: unknown;
  readonly url?: unknown;
}

/** Classifies an error of the SDK, of `fetch` or of a stream. The date of `retry-after` is compared with `now`. */
export function failureOf(thrown: unknown, now: number): Failure {
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as ClientError;
  const message = typeof error.message === 'string' ? error.message : String(thrown);
  const body = typeof error.responseBody === 'string' ? error.responseBody : '';
  const known = {
    said: message === '' ? body.slice(0, 300) : message,
    body,
    ...(typeof error.url === 'string' ? { url: error.url } : {}),
  };
  if (thrown instanceof SilenceError) return { ...known, kind: 'silent', silentMs: thrown.ms };
  const oversize = oversizeIn(thrown);
  if (oversize !== undefined)
    return { ...known, kind: 'unusable', said: `${oversize.message}, and was given up` };
  // The SDK reads an answer recursively: a deeply nested answer overflows the stack, and would again.
  if (thrown instanceof RangeError)
    return { ...known, kind: 'unusable', said: `is ${excessOf(message)} to be read` };
  const status = error.statusCode;
  // A failure with a status below 400 comes from the stream of an answer that had begun.
  if (typeof status !== 'number' || status < 400)
    return { ...known, kind: kindOfWords(`${message} ${causesOf(thrown)}`) };
  const retryAfterMs = retryAfter(error.responseHeaders ?? {}, now);
  return {
    ...known,
    status,
    kind: kindOfStatus(status, `${message} ${body}`),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** The `OversizeError` in the causes of an error: the SDK wraps errors of a body stream. */
function oversizeIn(thrown: unknown): OversizeError | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth += 1)
    if (error instanceof OversizeError) return error;
  return undefined;
}

/** V8 throws a RangeError for a stack that is full, and for a string or array that is longer than it can be. */
function excessOf(message: string): string {
  return /length|size of/i.test(message) && !/call stack/i.test(message) ? 'too long' : 'nested too deeply';
}

/** Messages about a prompt that exceeds the context of the model. Servers send them with various statuses. */
const CONTEXT_EXCEEDED =
  /(prompt|input).{0,20}too long|too many tokens|context.{0,20}(length|window|size|limit)|maximum context|exceeds.{0,30}context/i;

function kindOfStatus(status: number, words: string): FailureKind {
  if (status === 401 || status === 403) return 'refused-key';
  if (status === 429) return 'rate-limited';
  if (status === 413 || CONTEXT_EXCEEDED.test(words)) return 'too-long';
  if (status === 408 || status === 409 || status >= 500) return 'overloaded';
  // Not for 5xx: a gateway says of a slow server that it took too long.
  return /too long/i.test(words) ? 'too-long' : 'bad-request';
}

const NOT_CONNECTED = /cannot connect|fetch failed|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH/i;
/** The connection existed. `fetch failed` is said of these too. */
const DISCONNECTED = /ECONNRESET|UND_ERR_SOCKET|other side closed/i;

function kindOfWords(words: string): FailureKind {
  if (CONTEXT_EXCEEDED.test(words)) return 'too-long';
  if (/API key|apiKey/i.test(words)) return 'not-configured';
  if (/overloaded/i.test(words)) return 'overloaded';
  if (/HEADERS_TIMEOUT|BODY_TIMEOUT/.test(words)) return 'silent';
  return NOT_CONNECTED.test(words) && !DISCONNECTED.test(words) ? 'unreachable' : 'broken-off';
}

/** The messages and codes of the errors that `error` was caused by. */
function causesOf(error: unknown): string {
  const words: string[] = [];
  for (let one = error; one instanceof Error && words.length < 16; one = one.cause)
    words.push(one.message, String((one as { readonly code?: unknown }).code ?? ''));
  return words.join(' ');
}

/** `retry-after` is in seconds or a date; `retry-after-ms` in milliseconds. */
function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const { 'retry-after-ms': ms, 'retry-after': value } = headers;
  if (ms !== undefined && Number(ms) >= 0) return Number(ms);
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
