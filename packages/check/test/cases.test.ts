import { type DialectName, dialects, isServed } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { listAgentCases } from '../src/agent.ts';
import { listHostCases } from '../src/host.ts';

const NAMES = Object.keys(dialects) as DialectName[];
const all = NAMES.flatMap((name) => [
  ...listAgentCases(name).map((one) => ({ ...one, prefix: `${name}/` })),
  ...listHostCases(name).map((one) => ({ ...one, prefix: `${name}/host/` })),
]);

describe('The cases', () => {
  it('every case has a unique id that begins with its dialect', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.filter(({ id, prefix }) => !id.startsWith(prefix)).map(({ id }) => id)).toEqual([]);
  });

  it('the title of every case is a sentence', () => {
    expect(all.filter(({ title }) => !/^\S.*\.$/.test(title)).map(({ id }) => id)).toEqual([]);
  });

  it('every dialect has at least 15 cases for hosts, and 15 for agents where we have an agent side', () => {
    for (const name of NAMES) {
      if (isServed(dialects[name])) expect(listAgentCases(name).length).toBeGreaterThanOrEqual(15);
      expect(listHostCases(name).length).toBeGreaterThanOrEqual(15);
    }
  });
});
