import type { DialectName } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { listAgentCases } from '../src/agent.ts';
import { listHostCases } from '../src/host.ts';
import { HOST_MUTANTS } from './mutants/host-table.ts';
import { checkConforming, idOf, isCaught } from './mutants/run.ts';
import { AGENT_MUTANTS, type Mutant } from './mutants/table.ts';

const NAMES = Object.keys(AGENT_MUTANTS) as DialectName[];

/** Some mutants of each dialect; `mutants.deep.test.ts` runs all of them. */
const AGENTS = ['writes-for-ever', 'refuses-unknown-fields', 'reads-latin1', 'ignores-sigterm'];
const HOSTS = ['reads-latin1', 'hides-error'];

function sampleOf(mutants: readonly Mutant[], names: readonly string[]): readonly Mutant[] {
  return mutants.filter(([mutant]) => names.includes(mutant));
}

describe.concurrent('Mutants', () => {
  for (const dialect of NAMES) {
    const hasAgents = AGENT_MUTANTS[dialect].length > 0;
    it.runIf(hasAgents)(`the ${dialect} agent that breaks no rule passes every case`, () =>
      checkConforming('agent', dialect),
    );
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
  it('lists at least 20 mutants of each dialect and side, each with an existing case', () => {
    for (const dialect of NAMES) {
      const known = [...listAgentCases(dialect), ...listHostCases(dialect)].map(({ id }) => id);
      const named = [
        ...AGENT_MUTANTS[dialect].map(([, caught]) => idOf('agent', dialect, caught)),
        ...HOST_MUTANTS[dialect].map(([, caught]) => idOf('host', dialect, caught)),
      ];
      expect(named.filter((id) => !known.includes(id))).toEqual([]);
      if (listAgentCases(dialect).length > 0)
        expect(AGENT_MUTANTS[dialect].length).toBeGreaterThanOrEqual(20);
      expect(HOST_MUTANTS[dialect].length).toBeGreaterThanOrEqual(20);
    }
  });
});
