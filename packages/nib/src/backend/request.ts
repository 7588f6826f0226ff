import type { JsonObject } from '@plugboard/protocol';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';

/** One request to a backend. `dir` is added on the way. */
export interface BackendRequest {
  readonly operation: string;
  readonly fields: JsonObject;
  /** JSON Schema for the answer's data. */
  readonly schema?: JsonObject;
}

const EFFORTS: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** With less than this, models miss what a careful reader would see. */
const ENOUGH = EFFORTS.indexOf('high');

/** What a person can say about every operation of a backend. */
export interface AskOptions {
  readonly effort: string;
  readonly timeout?: string;
}

/** Checks the effort that was asked for, and warns of a small one; it is sent exactly as it was said. */
export function effortOf(env: Env, { effort }: AskOptions): string {
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

/** The time limit in seconds, if one was given; 0 is none. */
export function timeoutOf({ timeout }: Pick<AskOptions, 'timeout'>): number | undefined {
  if (timeout === undefined) return undefined;
  const seconds = /^[0-9]+(\.[0-9]+)?$/.test(timeout) ? Number(timeout) : Number.NaN;
  if (Number.isFinite(seconds)) return seconds;
  throw new NibError(
    `--timeout ${timeout}: give a number of seconds, such as 600; 0 waits as long as it takes.`,
  );
}
