import { reasonOf } from '@plugboard/protocol';
import type { Gateway } from '../gateway.ts';

/** Answers whether the store accepts writes. */
export interface Readiness {
  isReady(): Promise<boolean>;
}

/** A check is a commit: within this time the last result is reused. */
const FRESH_MS = 1_000;

/** Checks the store at most once per `FRESH_MS`, and logs the transitions between failing and working. */
export function createReadiness(gateway: Pick<Gateway, 'store' | 'log'>, now: () => number): Readiness {
  let checked: { readonly at: number; readonly result: Promise<boolean> } | undefined;
  let failing = false;
  const check = async (): Promise<boolean> => {
    try {
      await gateway.store.check();
      if (failing) gateway.log.info('The store can be written to again.', { code: 'store-recovered' });
      failing = false;
    } catch (error) {
      if (!failing)
        gateway.log.error(`The store cannot be written to: ${reasonOf(error)}`, { code: 'store-failing' });
      failing = true;
    }
    return !failing;
  };
  return {
    isReady() {
      const at = now();
      if (checked === undefined || at - checked.at >= FRESH_MS) checked = { at, result: check() };
      return checked.result;
    },
  };
}
