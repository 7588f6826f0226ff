import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** What a running gateway tells the other commands of its owner. Only its owner can read it. */
export interface Instance {
  readonly pid: number;
  readonly url: string;
  /** A token that may do everything. */
  readonly token: string;
  /** Other machines reach it under every address of this one. */
  readonly everywhere?: boolean;
}

/** Written beside and moved into place: whoever reads it finds all of it. */
export function writeInstance(file: string, instance: Instance): void {
  const next = `${file}.new`;
  writeFileSync(next, `${JSON.stringify(instance)}\n`, { mode: 0o600, flush: true });
  renameSync(next, file);
}

/** Undefined when no gateway has left one there, or what is there is no such thing. */
export function readInstance(file: string): Instance | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isInstance(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function removeInstance(file: string): void {
  rmSync(file, { force: true });
}

function isInstance(value: unknown): value is Instance {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, url, token } = value as Record<string, unknown>;
  return typeof pid === 'number' && [url, token].every((field) => typeof field === 'string');
}
