import { reasonOf } from '@plugboard/protocol';

/** The result of one `Check`. */
export interface Finding {
  readonly id: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** The remedy, as a sentence for the operator. */
  readonly fix?: string;
}

/** One thing that is proved by trying it. */
export interface Check {
  readonly id: string;
  run(): Promise<Omit<Finding, 'id'>>;
}

/** Runs `checks` one after the other; a check that throws yields a finding with the state `createFailure`. */
export async function* runChecks(checks: readonly Check[]): AsyncGenerator<Finding> {
  for (const { id, run } of checks) {
    try {
      yield { id, ...(await run()) };
    } catch (error) {
      yield { id, state: 'fail', message: reasonOf(error) };
    }
  }
}

export function createOk(message: string): Omit<Finding, 'id'> {
  return { state: 'ok', message };
}

export function createWarning(message: string, fix: string): Omit<Finding, 'id'> {
  return { state: 'warn', message, fix };
}

export function createFailure(message: string, fix: string): Omit<Finding, 'id'> {
  return { state: 'fail', message, fix };
}
