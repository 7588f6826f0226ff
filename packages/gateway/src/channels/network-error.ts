/** Codes of errors before the connection stood, of Node and of undici. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Levels of `cause` that are looked at: client libraries wrap errors two or three times. */
const MOST_CAUSES = 8;

/**
 * Whether an error of an HTTP client proves that nothing was sent: the name was not found, the connection was refused, or
 * its certificate was. Everything else, such as a reset, may have come after the platform took the message.
 */
export function isBeforeConnection(error: unknown): boolean {
  let current = error;
  for (let level = 0; level < MOST_CAUSES && isErrorLike(current); level += 1) {
    // Where a name has several addresses, each attempt has an error of its own.
    const attempts = current.errors;
    if (Array.isArray(attempts) && attempts.length > 0) return attempts.every(isBeforeConnection);
    if (isConnectCode(current)) return true;
    current = current.cause;
  }
  return false;
}

interface ErrorLike {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

function isErrorLike(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null;
}

function isConnectCode({ code, syscall }: ErrorLike): boolean {
  if (typeof code !== 'string') return false;
  return (
    NOT_CONNECTED.has(code) ||
    (code === 'ETIMEDOUT' && syscall === 'connect') ||
    code.startsWith('ERR_TLS') ||
    /^(CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_)/.test(code)
  );
}
