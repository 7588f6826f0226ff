import type { DialectName } from '@plugboard/protocol';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { HOST_MUTANTS } from './mutants/host-table.ts';
import { checkConforming, isCaught, type Side } from './mutants/run.ts';
import { AGENT_MUTANTS } from './mutants/table.ts';

// Many mutants idle until a time-out, so running several at once costs little CPU.
vi.setConfig({ maxConcurrency: 5 });

const SIDES = { agent: AGENT_MUTANTS, host: HOST_MUTANTS } as const;
const counts = { caught: 0, all: 0 };

afterAll(() => console.log(`${counts.caught} of ${counts.all} mutants were caught by their case.`));

describe.concurrent.each(['agent', 'host'] as const)('Mutants of %s programs', (side: Side) => {
  for (const [name, mutants] of Object.entries(SIDES[side])) {
    if (mutants.length === 0) continue;
    const dialect = name as DialectName;
    it(`the ${side} of ${dialect} that breaks no rule passes every case`, () =>
      checkConforming(side, dialect));
    it.each(mutants)(`the ${side} of ${dialect} that %s is caught by %s`, async (mutant, caught) => {
      counts.all += 1;
      const isSeen = await isCaught(side, dialect, mutant, caught);
      counts.caught += isSeen ? 1 : 0;
      expect(isSeen).toBe(true);
    });
  }
});
