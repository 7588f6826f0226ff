import type { DialectName } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { listAgentCases, listHostCases } from '../src/index.ts';
import { HOST_MUTANTS } from './mutants/host-table.ts';
import { checkConforming, idOf, isCaught } from './mutants/run.ts';
import { AGENT_MUTANTS, type Mutant } from './mutants/table.ts';

const NAMES = Object.keys(AGENT_MUTANTS) as DialectName[];

/** A few of each dialect; `mutants.deep.test.ts` takes all of them. */
const AGENTS = ['writes-for-ever', 'refuses-unknown-fields', 'reads-latin1', 'ignores-sigterm'];
const HOSTS = ['reads-latin1', 'hides-error'];

function sampleOf(mutants: readonly Mutant[], names: readonly string[]): readonly Mutant[] {
  return mutants.filter(([mutant]) => names.includes(mutant));
}

describe.concurrent('Some programs that break one rule', () => {
  for (const dialect of NAMES) {
    it(`the ${dialect} agent that breaks none passes every case`, () => checkConforming('agent', dialect));
    it.each(sampleOf(AGENT_MUTANTS[dialect], AGENTS))(
      `the ${dialect} agent that %s is caught by %s`,
      async (mutant, caught) => expect(await isCaught('agent', dialect, mutant, caught)).toBe(true),
    );
    it.each(sampleOf(HOST_MUTANTS[dialect], HOSTS))(
      `the ${dialect} host that %s is caught by %s`,
      async (mutant, caught) => expect(await isCaught('host', dialect, mutant, caught)).toBe(true),
    );
  }
});

describe('The table of mutants', () => {
  it('has 20 of each dialect and side at least, and names cases that there are', () => {
    for (const dialect of NAMES) {
      const known = [...listAgentCases(dialect), ...listHostCases(dialect)].map(({ id }) => id);
      const named = [
        ...AGENT_MUTANTS[dialect].map(([, caught]) => idOf('agent', dialect, caught)),
        ...HOST_MUTANTS[dialect].map(([, caught]) => idOf('host', dialect, caught)),
      ];
      expect(named.filter((id) => !known.includes(id))).toEqual([]);
      expect(AGENT_MUTANTS[dialect].length).toBeGreaterThanOrEqual(20);
      expect(HOST_MUTANTS[dialect].length).toBeGreaterThanOrEqual(20);
    }
  });
});
