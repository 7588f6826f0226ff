import type { DialectName } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { checkConforming, isCaught } from './mutants/run.ts';
import { AGENT_MUTANTS, SAMPLE } from './mutants/table.ts';

// `mutants.deep.test.ts` runs all of them.
describe.concurrent('Some agents that break one rule', () => {
  for (const [name, mutants] of Object.entries(AGENT_MUTANTS)) {
    const dialect = name as DialectName;
    it(`the ${dialect} agent that breaks none passes every case`, () => checkConforming(dialect));
    const some = mutants.filter(([mutant]) => SAMPLE.includes(mutant));
    it.each(some)(`${dialect}: %s is caught by %s`, async (mutant, caught) => {
      expect(await isCaught(dialect, mutant, caught)).toBe(true);
    });
  }
});
