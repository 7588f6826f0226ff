import type { DialectName } from '@plugboard/protocol';
import { describe, expect, it, vi } from 'vitest';
import { checkConforming, isCaught } from './mutants/run.ts';
import { AGENT_MUTANTS } from './mutants/table.ts';

// Many of them are waited for in vain, which costs nothing but time.
vi.setConfig({ maxConcurrency: 6 });

describe.concurrent('Agents that break one rule', () => {
  for (const [name, mutants] of Object.entries(AGENT_MUTANTS)) {
    const dialect = name as DialectName;
    it(`the ${dialect} agent that breaks none passes every case`, () => checkConforming(dialect));
    it.each(mutants)(`${dialect}: %s is caught by %s`, async (mutant, caught) => {
      expect(await isCaught(dialect, mutant, caught)).toBe(true);
    });
  }
});
