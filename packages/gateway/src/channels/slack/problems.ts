import { ErrorCode } from '@slack/web-api';
import { SendError, type SendErrorOptions, type SendProblem } from '../channel.ts';
import { isBeforeConnection } from '../network-error.ts';

/** Words in `error` of an answer with `ok: false`. A word in none of these sets is `unknown`: a part of the call may have happened. */
const LATER = new Set([
  'ratelimited',
  'rate_limited',
  'message_limit_exceeded',
  'service_unavailable',
  'team_added_to_org',
  'request_timeout',
]);

const NEVER = new Set([
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'cannot_reply_to_message',
  'messages_tab_disabled',
  'app_access_restricted',
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
  'is_inactive',
  'thread_not_found',
  'file_not_found',
  'user_not_found',
]);

const KEY_REFUSED = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'not_allowed_token_type',
]);

/** Refusals of text, blocks or metadata, after which `plainMessageOf` may be sent at once. */
const FORM_REFUSED =
  /^(invalid_blocks.*|msg_blocks_too_long|msg_too_long|markdown_text_conflict|no_text|invalid_metadata_.*)$/;

/** Error of a call to Slack. Library errors are never its `cause`: they carry addresses and headers. */
export class SlackCallError extends SendError {
  /** Field `error` of the answer; absent without an answer in JSON. */
  readonly word: string | undefined;

  constructor(problem: SendProblem, message: string, options: SendErrorOptions, word?: string) {
    super(problem, message, options);
    this.name = 'SlackCallError';
    this.word = word;
  }

  get isFormRefused(): boolean {
    return this.word !== undefined && FORM_REFUSED.test(this.word);
  }
}

/** Methods for which `missing_scope` stops the channel. */
const NEEDED = new Set(['auth.test', 'apps.connections.open', 'chat.postMessage']);

interface LibraryError {
  readonly code?: unknown;
  readonly data?: { readonly error?: unknown; readonly needed?: unknown };
  readonly retryAfter?: unknown;
  readonly statusCode?: unknown;
  readonly original?: { readonly code?: unknown };
}

/** Converts an error of the libraries to a `SlackCallError`. */
export function problemOf(thrown: unknown, method: string): SlackCallError {
  if (thrown instanceof SlackCallError) return thrown;
  const error: LibraryError = typeof thrown === 'object' && thrown !== null ? thrown : {};
  if (error.code === ErrorCode.PlatformError) return refusalOf(error, method);
  if (error.code === ErrorCode.RateLimitedError) {
    const afterMs = Math.max(0, Number(error.retryAfter) || 0) * 1000;
    return new SlackCallError('later', `Slack wants a pause before ${method}.`, { afterMs }, 'ratelimited');
  }
  if (error.code === ErrorCode.HTTPError)
    return new SlackCallError('unknown', `Slack answered ${Number(error.statusCode)} to ${method}.`, {});
  const code = networkCode(error.original?.code ?? error.code);
  if (isBeforeConnection(thrown))
    return new SlackCallError('later', `Slack cannot be reached for ${method}${code}.`, {});
  return new SlackCallError('unknown', `There was no answer of Slack to ${method}${code}.`, {});
}

function refusalOf({ data }: LibraryError, method: string): SlackCallError {
  const word = data?.error;
  // An HTML page stands here, too, when it is no JSON.
  if (typeof word !== 'string' || !/^[a-z][a-z0-9_]{0,79}$/.test(word))
    return new SlackCallError('unknown', `The answer to ${method} is not one of Slack's.`, {});
  const message = `Slack refused ${method}: ${word}${neededScope(word, data?.needed)}.`;
  if (LATER.has(word)) return new SlackCallError('later', message, {}, word);
  if (KEY_REFUSED.has(word)) return new SlackCallError('never', message, { stopsChannel: true }, word);
  if (word === 'missing_scope')
    return new SlackCallError('never', message, { stopsChannel: NEEDED.has(method) }, word);
  const isNever = NEVER.has(word) || word.startsWith('restricted_action') || FORM_REFUSED.test(word);
  return new SlackCallError(isNever ? 'never' : 'unknown', message, {}, word);
}

function neededScope(word: string, needed: unknown): string {
  if (word !== 'missing_scope' || typeof needed !== 'string' || !/^[a-z:.,_ ]+$/.test(needed)) return '';
  return ` (add the scope ${needed} and install the app again)`;
}

function networkCode(code: unknown): string {
  return typeof code === 'string' && /^[A-Z_0-9]+$/.test(code) && !code.startsWith('slack')
    ? ` (${code})`
    : '';
}
