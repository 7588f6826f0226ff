/** One change that nib or a backend made to the project: a part of a run, which can be undone separately. */
export interface HistoryEntry {
  readonly run: number;
  /** From 1; the chapters of one proof are parts of one run. */
  readonly part: number;
  /** ISO time. */
  readonly at: string;
  readonly what: string;
  /** `meanwhile`: saved by another program during a run. `undo`: the reversal of the entries in `undoes`. */
  readonly kind: 'proof' | 'undo' | 'meanwhile';
  readonly files: readonly HistoryFile[];
  readonly undone: boolean;
  /** The ids of the entries that an `undo` reversed. */
  readonly undoes?: readonly string[];
}

/** A file of an entry; `before` and `after` say whether it existed. */
interface HistoryFile {
  readonly path: string;
  readonly before: boolean;
  readonly after: boolean;
}

/** The id on the command line: `7` is a run, `7/2` its second part. */
export function formatEntryId({ run, part }: Pick<HistoryEntry, 'run' | 'part'>): string {
  return `${run}/${part}`;
}

/** Narrows the JSON of `entry.json`. */
export function isHistoryEntry(value: unknown): value is HistoryEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { run, part, at, what, kind, files, undone } = value as Partial<Record<keyof HistoryEntry, unknown>>;
  return (
    Number.isInteger(run) &&
    Number.isInteger(part) &&
    typeof at === 'string' &&
    typeof what === 'string' &&
    (kind === 'proof' || kind === 'undo' || kind === 'meanwhile') &&
    typeof undone === 'boolean' &&
    Array.isArray(files) &&
    files.every(isHistoryFile)
  );
}

function isHistoryFile(value: unknown): value is HistoryFile {
  if (typeof value !== 'object' || value === null) return false;
  const { path, before, after } = value as Partial<Record<keyof HistoryFile, unknown>>;
  return typeof path === 'string' && typeof before === 'boolean' && typeof after === 'boolean';
}
