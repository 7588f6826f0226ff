import { reasonOf } from '@plugboard/protocol';

/** What came of one look. */
export interface Finding {
  readonly id: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** One thing that is proved by trying it. */
export interface Check {
  readonly id: string;
  run(): Promise<Omit<Finding, 'id'>>;
}

/** Runs checks one after the other; one that breaks has failed. */
export async function* examine(checks: readonly Check[]): AsyncGenerator<Finding> {
  for (const { id, run } of checks) {
    try {
      yield { id, ...(await run()) };
    } catch (error) {
      yield { id, state: 'fail', message: reasonOf(error) };
    }
  }
}

export function ok(message: string): Omit<Finding, 'id'> {
  return { state: 'ok', message };
}

export function warn(message: string, fix: string): Omit<Finding, 'id'> {
  return { state: 'warn', message, fix };
}

export function fail(message: string, fix: string): Omit<Finding, 'id'> {
  return { state: 'fail', message, fix };
}
