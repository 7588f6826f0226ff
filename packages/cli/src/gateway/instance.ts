import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The file by which other commands find a running gateway. It holds an admin token, so its mode is 0600. */
export interface Instance {
  readonly pid: number;
  readonly url: string;
  /** The secret of the token `operator`, which has the scope `admin`. */
  readonly token: string;
  /** The gateway listens on all addresses, without `server.public_url`. */
  readonly everywhere?: boolean;
}

/** Written to a temporary file and renamed, so that readers never see a partial file. */
export function writeInstance(file: string, instance: Instance): void {
  const next = `${file}.new`;
  writeFileSync(next, `${JSON.stringify(instance)}\n`, { mode: 0o600, flush: true });
  renameSync(next, file);
}

/** Undefined when the file is missing or is not a valid `Instance`. */
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
