import { BackendError, systemCode } from '../../failure.ts';
import type { LocalSettings } from '../settings.ts';

/** Why the server gave no answer. */
export type ServerCode =
  | 'unreachable'
  | 'no-model'
  | 'refused-key'
  | 'rate-limited'
  | 'trouble'
  | 'too-long'
  | 'broken-off'
  | 'silent'
  | 'bad-request';

/** A server that gave no answer, and a sentence that says what to do about it. */
export class ServerError extends BackendError {
  declare readonly code: ServerCode;
  /** How long the server wants to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ServerCode,
    message: string,
    more: { cause?: unknown; retryAfterMs?: number | undefined } = {},
  ) {
    super(code, message, more.cause);
    this.name = 'ServerError';
    this.retryAfterMs = more.retryAfterMs;
  }
}

/** What the client throws, as far as it is looked at. */
interface CallFailure {
  readonly message?: unknown;
  readonly statusCode?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: unknown;
}

/** Whatever was thrown on the way to the server and back, as one of the errors above. */
export function toServerError(thrown: unknown, settings: LocalSettings): ServerError {
  if (thrown instanceof ServerError) return thrown;
  const failure = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as CallFailure;
  const said = typeof failure.message === 'string' ? failure.message : String(thrown);
  if (typeof failure.statusCode !== 'number' || failure.statusCode < 400)
    return withoutStatus(said, thrown, settings);
  const body = typeof failure.responseBody === 'string' ? failure.responseBody : '';
  const code = codeOf(failure.statusCode, `${said} ${body}`);
  const detail = said === '' ? body.slice(0, 300) : said;
  return new ServerError(code, sentence(code, failure.statusCode, detail, settings), {
    cause: thrown,
    retryAfterMs: retryAfter(failure.responseHeaders ?? {}),
  });
}

const NOT_CONNECTED = /cannot connect|fetch failed|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH/i;

function withoutStatus(said: string, cause: unknown, { endpoint }: LocalSettings): ServerError {
  const words = `${said} ${causesOf(cause)}`;
  if (TOO_LONG.test(words)) return new ServerError('too-long', `${TOO_LONG_ADVICE} (${said})`, { cause });
  if (/HEADERS_TIMEOUT|BODY_TIMEOUT/.test(words))
    return new ServerError('silent', `The server at ${endpoint} said nothing for too long: ${said}`, {
      cause,
    });
  // A connection that was there and is gone has a reason of its own, which is worth another try.
  if (NOT_CONNECTED.test(words) && !/ECONNRESET|UND_ERR_SOCKET|other side closed/i.test(words)) {
    const message = `The server is not reachable at ${endpoint}: start it, or set NIB_LOCAL_ENDPOINT.`;
    return new ServerError('unreachable', message, { cause });
  }
  return new ServerError('broken-off', `The answer of the server at ${endpoint} broke off: ${said}`, {
    cause,
  });
}

/** The messages and codes of everything that an error was caused by. */
function causesOf(error: unknown): string {
  const words: string[] = [];
  for (let one = error; one instanceof Error && words.length < 8; one = one.cause)
    words.push(one.message, systemCode(one) ?? '');
  return words.join(' ');
}

const TOO_LONG =
  /too long|too many tokens|context.{0,20}(length|window|size|limit)|maximum context|exceeds.{0,30}context/i;
const TOO_LONG_ADVICE =
  'The text is too long for the model: load it with a longer context, choose another with NIB_LOCAL_MODEL, or ask about fewer scenes.';

function codeOf(status: number, words: string): ServerCode {
  if (status === 401 || status === 403) return 'refused-key';
  if (status === 429) return 'rate-limited';
  if (status === 413 || TOO_LONG.test(words)) return 'too-long';
  if (
    status === 404 ||
    /model.{0,80}(not (found|exist|loaded|available)|does ?n.t exist|unknown)|(no|unknown|invalid) model/i.test(
      words,
    )
  )
    return 'no-model';
  return status === 408 || status >= 500 ? 'trouble' : 'bad-request';
}

function sentence(
  code: ServerCode,
  status: number,
  said: string,
  { endpoint, model }: LocalSettings,
): string {
  switch (code) {
    case 'refused-key':
      return `The server at ${endpoint} refused the key (${status}): set NIB_LOCAL_API_KEY, or nib.agents.local.api-key in git's configuration.`;
    case 'rate-limited':
      return `The server at ${endpoint} asks for a pause (${status}): ${said} Try again later.`;
    case 'too-long':
      return `${TOO_LONG_ADVICE} (${said})`;
    case 'no-model':
      return `Model ${model} not found at ${endpoint} (${status}): ${said}`;
    case 'trouble':
      return `The server at ${endpoint} is in trouble (${status}): ${said}`;
    default:
      return `The server at ${endpoint} refused the request (${status}): ${said}`;
  }
}

function retryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const seconds = Number(headers['retry-after']);
  return headers['retry-after'] !== undefined && seconds >= 0 ? seconds * 1000 : undefined;
}
