import type { JsonObject } from '@plugboard/protocol';
import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';

/** One request to a backend. `createTurn` adds `dir`. */
export interface BackendRequest {
  readonly operation: string;
  readonly fields: JsonObject;
  /** JSON Schema for the answer's data. */
  readonly schema?: JsonObject;
}

const EFFORTS: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** Below `high`, models miss errors that a careful reader would see. */
const ENOUGH = EFFORTS.indexOf('high');

/** Options of every backend operation. */
export interface AskOptions {
  readonly effort: string;
  readonly timeout?: string;
}

/** Checks `--effort`, and warns below `high`; the backend gets the value unchanged. */
export function parseEffort(env: Env, { effort }: AskOptions): string {
  const level = EFFORTS.indexOf(effort);
  if (level >= ENOUGH) return effort;
  if (level !== -1) {
    env.err(
      `Effort ${effort} is less than high: the backend is quicker, and may overlook or invent things.\n`,
    );
    return effort;
  }
  throw new NibError(`There is no effort ${JSON.stringify(effort)}; choose ${EFFORTS.join(', ')}.`);
}

/** Parses `--timeout` as seconds; 0 means no limit. */
export function parseTimeout({ timeout }: Pick<AskOptions, 'timeout'>): number | undefined {
  if (timeout === undefined) return undefined;
  const seconds = /^[0-9]+(\.[0-9]+)?$/.test(timeout) ? Number(timeout) : Number.NaN;
  if (Number.isFinite(seconds)) return seconds;
  throw new NibError(
    `--timeout ${timeout}: give a number of seconds, such as 600; 0 waits as long as it takes.`,
  );
}
