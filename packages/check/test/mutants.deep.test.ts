import type { DialectName } from '@plugboard/protocol';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { HOST_MUTANTS } from './mutants/host-table.ts';
import { checkConforming, isCaught, type Side } from './mutants/run.ts';
import { AGENT_MUTANTS } from './mutants/table.ts';

// Many of them are waited for in vain, which costs nothing but time.
vi.setConfig({ maxConcurrency: 5 });

const SIDES = { agent: AGENT_MUTANTS, host: HOST_MUTANTS } as const;
const counts = { caught: 0, all: 0 };

afterAll(() => console.log(`${counts.caught} of ${counts.all} mutants were caught by their case.`));

describe.concurrent.each(['agent', 'host'] as const)(
  'Mutants: each %s that breaks one rule',
  (side: Side) => {
    for (const [name, mutants] of Object.entries(SIDES[side])) {
      const dialect = name as DialectName;
      it(`of ${dialect}, and breaks none, passes every case`, () => checkConforming(side, dialect));
      it.each(mutants)(`of ${dialect}: %s is caught by %s`, async (mutant, caught) => {
        counts.all += 1;
        const isSeen = await isCaught(side, dialect, mutant, caught);
        counts.caught += isSeen ? 1 : 0;
        expect(isSeen).toBe(true);
      });
    }
  },
);
