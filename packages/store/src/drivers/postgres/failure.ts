import { StoreError, type StoreErrorCode } from '../../contract/errors.ts';

/** An error of `pg`: the server refused a statement, or the connection broke. Marks it apart from errors of callbacks. */
export class ServerFailure extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'ServerFailure';
  }
}

/**
 * - `away`: there is no connection, or the server is starting, stopping or full. The same call can succeed later.
 * - `retry`: the server undid the transaction for the sake of another one.
 * - `refused`: the same call would fail again.
 */
export type FailureKind = 'away' | 'retry' | 'refused';

/** `40001`: serialization failure. `40P01`: deadlock. */
const RETRIED = new Set(['40001', '40P01']);

/** `53300`: too many connections. `57P01` to `57P03`: the server stops, has crashed, or starts. `57P05`: idle session ended. */
const AWAY = new Set(['53300', '57P01', '57P02', '57P03', '57P05', '25P03', '25P04']);

export function kindOf(error: unknown): FailureKind {
  const state = sqlStateOf(error);
  if (state === undefined) return isMisconfigured(error) ? 'refused' : 'away';
  if (RETRIED.has(state)) return 'retry';
  return AWAY.has(state) || state.startsWith('08') ? 'away' : 'refused';
}

/** The SQLSTATE; undefined for an error that does not come from the server. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code, severity } = causeOf(error) as { code?: unknown; severity?: unknown };
  return severity === undefined || typeof code !== 'string' ? undefined : code;
}

/** A server without TLS, or with a certificate of another name. */
function isMisconfigured(error: unknown): boolean {
  const { code = '', message = '' } = causeOf(error) as { code?: string; message?: string };
  return /^(ERR_TLS|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/.test(code) || /SSL|SASL|password/i.test(message);
}

function causeOf(error: unknown): object {
  const cause = error instanceof ServerFailure ? error.cause : error;
  return typeof cause === 'object' && cause !== null ? cause : {};
}

const CODES: Readonly<Record<string, readonly [StoreErrorCode, string]>> = {
  '23505': ['conflict', 'The database {place} has something with the same id already.'],
  '25006': ['read-only', 'The database {place} takes no writes: it is a standby, or set to read only.'],
  '42501': ['read-only', 'The role may not do that in the database {place}: {message}.'],
  '53100': ['full', 'The disk of the database {place} is full.'],
  '57014': ['unavailable', 'The database {place} took too long, and the call was ended.'],
  XX001: ['corrupt', 'The database {place} is damaged: restore it from a backup ({message}).'],
  XX002: ['corrupt', 'The database {place} has a damaged index: {message}.'],
};

/** Turns a `ServerFailure` into a `StoreError` that names the database. Returns other errors unchanged. */
export function storeProblem(place: string, error: unknown): unknown {
  if (!(error instanceof ServerFailure)) return error;
  const away = `The database ${place} does not answer: {message}.`;
  const [code, words] = CODES[sqlStateOf(error) ?? ''] ?? [
    'unavailable',
    kindOf(error) === 'away' ? away : `The database ${place} refused: {message}.`,
  ];
  const message = error.message.replace(/\.$/, '') || 'no reason given';
  return new StoreError(code, words.replace('{place}', place).replace('{message}', message), error.cause);
}
