import { ClientError } from '@plugboard/client';

/** Whether the request got no answer. */
export function isUnreached(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'network';
}

/** 502 to 504: a proxy without its gateway, or a gateway that is stopping. */
const AWAY = [502, 503, 504];

/** Whether the gateway failed at this very request: it may do so every time. */
export function isFault(error: unknown): boolean {
  return error instanceof ClientError && error.status >= 500 && !AWAY.includes(error.status);
}

export function isLoggedOut(error: unknown): boolean {
  return error instanceof ClientError && error.status === 401;
}

/** The text of `error` for the user. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong.';
}
