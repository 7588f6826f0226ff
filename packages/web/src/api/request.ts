/** Why a request failed. `network` means that nobody answered, so the same request may be tried again. */
class RequestError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Asks the gateway for JSON; what is not a success is thrown as a RequestError. */
export async function request<T>(
  path: string,
  { method = 'GET', body, signal }: RequestOptions = {},
): Promise<T> {
  const response = await reach(path, {
    method,
    ...(method === 'GET'
      ? {}
      : { body: JSON.stringify(body ?? {}), headers: { 'content-type': 'application/json' } }),
    ...(signal === undefined ? {} : { signal }),
  });
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** A fetch that fails in one way only. */
export async function reach(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      ...init,
    });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw unreached();
  }
  if (!response.ok) throw refusal(response.status, await response.json().catch(() => undefined));
  return response;
}

/** Nobody answered. */
export function unreached(message = 'The gateway cannot be reached.'): Error {
  return new RequestError('network', message, 0);
}

/** The gateway said no, in the words of its answer if it has any. */
export function refusal(status: number, body: unknown): Error {
  const error = (body as { error?: { code?: unknown; message?: unknown } } | undefined)?.error;
  const code = typeof error?.code === 'string' ? error.code : 'unexpected';
  const message = typeof error?.message === 'string' ? error.message : `The gateway answered ${status}.`;
  return new RequestError(code, message, status);
}

/** Whether trying the same again later can help. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 500;
}

/** Whether there was no answer at all. */
export function isUnreached(error: unknown): boolean {
  return error instanceof RequestError && error.status === 0;
}

/** What a proxy answers while the gateway is away, and the gateway while it stops. */
const AWAY = [502, 503, 504];

/** Whether the gateway failed at this very request: it may do so every time. */
export function isFault(error: unknown): boolean {
  return error instanceof RequestError && error.status >= 500 && !AWAY.includes(error.status);
}

export function isLoggedOut(error: unknown): boolean {
  return error instanceof RequestError && error.status === 401;
}

/** Something to tell the person, whatever was thrown. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong.';
}
