/**
 * Failures of a database file. `in-use`: another process holds the lock file; `busy`: it holds a lock of SQLite.
 * `foreign`: a database of another program; `newer`: written by a later version of this program.
 */
type FailureKind =
  | 'in-use'
  | 'foreign'
  | 'newer'
  | 'busy'
  | 'read-only'
  | 'io'
  | 'corrupt'
  | 'full'
  | 'cannot-open'
  | 'not-a-database'
  | 'duplicate'
  | 'closed'
  | 'no-access'
  | 'read-only-disk'
  | 'no-directory'
  | 'not-a-directory'
  | 'is-a-directory'
  | 'exists'
  | 'other';

/** SQLite's result codes. All are primary codes, except 1555 and 2067, which are extended codes of constraints. */
const FROM_SQLITE: Readonly<Record<number, FailureKind>> = {
  5: 'busy',
  6: 'busy',
  8: 'read-only',
  10: 'io',
  11: 'corrupt',
  13: 'full',
  14: 'cannot-open',
  26: 'not-a-database',
  1555: 'duplicate',
  2067: 'duplicate',
};

/** Errors of the file system, which is asked before SQLite is. */
const FROM_FILE_SYSTEM: Readonly<Record<string, FailureKind>> = {
  EACCES: 'no-access',
  EPERM: 'no-access',
  EROFS: 'read-only-disk',
  ENOSPC: 'full',
  ENOENT: 'no-directory',
  ENOTDIR: 'not-a-directory',
  EISDIR: 'is-a-directory',
  EEXIST: 'exists',
};

/** A failure that this package detects itself: `in-use`, `foreign` or `newer`. */
export class DatabaseFailure extends Error {
  readonly kind: FailureKind;
  /** For `in-use`: the process that holds the lock. */
  readonly holder: string;

  constructor(kind: FailureKind, message: string, more: { holder?: string; cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.name = 'DatabaseFailure';
    this.kind = kind;
    this.holder = more.holder ?? '';
  }
}

/**
 * The error code and the sentence of a program for each kind of failure; `other` stands for the kinds left out. `{file}` in
 * a sentence is replaced by the path, `{holder}` by the process that holds the lock, `{message}` by the message of the error.
 */
export type FailureWords<Code> = { readonly other: readonly [Code, string] } & {
  readonly [Kind in FailureKind]?: readonly [Code, string];
};

/** Puts a failure of SQLite or of the file system into words. Undefined for every other error. */
export function describeFailure<Code>(
  error: unknown,
  file: string,
  words: FailureWords<Code>,
): readonly [code: Code, sentence: string] | undefined {
  if (!(error instanceof Error)) return undefined;
  const kind = kindOf(error);
  if (kind === undefined) return undefined;
  const [code, template] = words[kind] ?? words.other;
  const holder = error instanceof DatabaseFailure ? error.holder : '';
  const values: Readonly<Record<string, string>> = { file, holder, message: error.message };
  return [code, template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)];
}

function kindOf(error: Error): FailureKind | undefined {
  if (error instanceof DatabaseFailure) return error.kind;
  const { code = '', errcode, syscall } = error as Error & Partial<SystemError>;
  if (code === 'ERR_INVALID_STATE') return 'closed';
  if (errcode === undefined) return syscall === undefined ? undefined : (FROM_FILE_SYSTEM[code] ?? 'other');
  // The low byte of an extended code is its primary code.
  return FROM_SQLITE[errcode] ?? FROM_SQLITE[errcode & 0xff] ?? 'other';
}

interface SystemError {
  readonly code: string;
  readonly errcode: number;
  readonly syscall: string;
}
