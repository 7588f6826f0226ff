import { type DialectName, dialects } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { listAgentCases, listHostCases } from '../src/index.ts';

const NAMES = Object.keys(dialects) as DialectName[];
const all = NAMES.flatMap((name) => [
  ...listAgentCases(name).map((one) => ({ ...one, prefix: `${name}/` })),
  ...listHostCases(name).map((one) => ({ ...one, prefix: `${name}/host/` })),
]);

describe('The cases', () => {
  it('have ids of their own, below the name of their dialect', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.filter(({ id, prefix }) => !id.startsWith(prefix)).map(({ id }) => id)).toEqual([]);
  });

  it('say their rule in a sentence', () => {
    expect(all.filter(({ title }) => !/^\S.*\.$/.test(title)).map(({ id }) => id)).toEqual([]);
  });

  it('cover both sides of every dialect', () => {
    for (const name of NAMES) {
      expect(listAgentCases(name).length).toBeGreaterThanOrEqual(15);
      expect(listHostCases(name).length).toBeGreaterThanOrEqual(15);
    }
  });
});
