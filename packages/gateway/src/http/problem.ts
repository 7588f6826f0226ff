/** Error codes and their HTTP status. */
const STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'not-allowed': 405,
  'too-slow': 408,
  conflict: 409,
  'too-large': 413,
  'content-type': 415,
  'wrong-host': 421,
  'too-many': 429,
  failed: 500,
  'agent-failed': 502,
  unavailable: 503,
} as const;

export type ProblemCode = keyof typeof STATUS;

/** An error for the client. Only errors that are created as `Problem` reach clients; internal ones are replaced. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly retryAfterSecs: number | undefined;

  constructor(code: ProblemCode, message: string, retryAfterSecs?: number) {
    super(message);
    this.name = 'Problem';
    this.code = code;
    this.retryAfterSecs = retryAfterSecs;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

/** Body of every error response. */
export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly requestId: string };
}
