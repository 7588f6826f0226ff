/** Every failure of a request. `message` is a sentence for people; `code` is for programs. */
export class ClientError extends Error {
  /** The gateway's own code (docs/http.md), `network` without an answer, `unexpected` for an answer of another server. */
  readonly code: string;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** Stands in the log of the gateway beside the cause of a 500. */
  readonly requestId: string | undefined;

  constructor(
    code: string,
    message: string,
    about: {
      readonly status?: number;
      readonly requestId?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: about.cause });
    this.name = 'ClientError';
    this.code = code;
    this.status = about.status ?? 0;
    this.requestId = about.requestId;
  }
}

/** The `ClientError` of a request without an answer: `code` is `network`. */
export function createNetworkError(message = 'The gateway cannot be reached.', cause?: unknown): ClientError {
  return new ClientError('network', message, { cause });
}

/** The `ClientError` of a refusal. `body` is the parsed JSON of the answer, or `undefined` where it was none. */
export function createRefusal(status: number, body: unknown): ClientError {
  const error = (body as { error?: Readonly<Record<string, unknown>> } | null | undefined)?.error;
  const { code, message, requestId } = error ?? {};
  return new ClientError(
    typeof code === 'string' ? code : 'unexpected',
    typeof message === 'string' ? message : `The gateway answered ${status}.`,
    { status, requestId: typeof requestId === 'string' ? requestId : undefined },
  );
}

/** Whether the same request may succeed later: no answer, 429, or 500 and above. */
export function isPassing(error: unknown): error is ClientError {
  if (!(error instanceof ClientError)) return false;
  return error.code === 'network' || error.status === 429 || error.status >= 500;
}
