import { GrammyError, HttpError } from 'grammy/web';
import { SendError, type SendErrorOptions, type SendProblem } from '../channel.ts';
import { ForeignAnswer, NetworkError } from './http-fetch.ts';

/** A `SendError` with the `description` of the Bot API. It has no `cause`: a `GrammyError` holds the payload. */
export class TelegramError extends SendError {
  /** HTTP status of the answer; 0 when there was none. */
  readonly status: number;
  readonly description: string;
  /** `migrate_to_chat_id`: the supergroup that the group has become. */
  readonly migratedTo: number | undefined;

  constructor(
    problem: SendProblem,
    description: string,
    options: SendErrorOptions & { readonly status?: number; readonly migratedTo?: number | undefined } = {},
  ) {
    super(problem, description, options);
    this.description = description;
    this.status = options.status ?? 0;
    this.migratedTo = options.migratedTo;
  }
}

/** The error of a call of grammY as a `TelegramError`. `scrub` takes the token out of texts. */
export function telegramErrorOf(error: unknown, scrub: (text: string) => string): TelegramError {
  if (error instanceof TelegramError) return error;
  if (error instanceof GrammyError) return refusalOf(error, scrub);
  const inner = error instanceof HttpError ? error.error : error;
  if (inner instanceof ForeignAnswer && inner.status === 429) return rateLimitOf(inner);
  const message = inner instanceof NetworkError ? inner.message : 'The call of the Bot API was cut off.';
  const isUnsent = inner instanceof NetworkError && !inner.connected;
  return new TelegramError(isUnsent ? 'later' : 'unknown', message);
}

/** A proxy limits the rate. It may answer any other status after Telegram has taken the message. */
function rateLimitOf({ message, status, retryAfterSecs: secs }: ForeignAnswer): TelegramError {
  return new TelegramError('later', message, {
    status,
    ...(secs === undefined ? {} : { afterMs: secs * 1000 }),
  });
}

/** `sendMediaGroup` failed after it had sent a part of the album. */
const PARTLY_SENT = /failed to send message #/i;

/** The fields of an answer with `ok: false`, each of which may be missing. */
interface Refusal {
  readonly error_code?: unknown;
  readonly description?: unknown;
  readonly parameters?: unknown;
}

function refusalOf(refusal: Refusal, scrub: (text: string) => string): TelegramError {
  const { error_code: code, description: given } = refusal;
  const status = typeof code === 'number' ? code : 0;
  const description = typeof given === 'string' ? scrub(given) : 'It did not say why.';
  const said = `Telegram says: ${description}`;
  const { retry_after: secs, migrate_to_chat_id: migratedTo } = numbersIn(refusal.parameters);
  if (status === 429)
    return new TelegramError('later', said, {
      status,
      ...(secs === undefined ? {} : { afterMs: secs * 1000 }),
    });
  // A malformed token gives 404 for every method.
  if (status === 401 || status === 404)
    return new TelegramError('never', `Telegram refuses the token: ${description}`, {
      status,
      stopsChannel: true,
    });
  const isKnown = status >= 400 && status < 500 && !PARTLY_SENT.test(description);
  return new TelegramError(isKnown ? 'never' : 'unknown', said, { status, migratedTo });
}

function numbersIn(parameters: unknown): Readonly<Record<string, number | undefined>> {
  if (typeof parameters !== 'object' || parameters === null) return {};
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => typeof value === 'number'));
}

export function isNotModified(error: unknown): boolean {
  return says(error, /message is not modified/i);
}

/** Whether Telegram refused the HTML: the message was not sent, and may be sent as plain text at once. */
export function isFormatRefused(error: unknown): boolean {
  return says(error, /can't parse entities|(message|caption) is too long|text (is|must be non-)empty|entit/i);
}

/** Whether a picture was refused as a photo. It can still be sent as a document. */
export function isPhotoRefused(error: unknown): boolean {
  return says(error, /PHOTO_|IMAGE_PROCESS|wrong type of the web page|photo/i);
}

export function isThreadGone(error: unknown): boolean {
  return says(error, /message thread not found/i);
}

function says(error: unknown, pattern: RegExp): boolean {
  return (
    error instanceof TelegramError &&
    error.status === 400 &&
    error.problem === 'never' &&
    pattern.test(error.description)
  );
}
