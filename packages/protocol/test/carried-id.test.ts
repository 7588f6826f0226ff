import fc from 'fast-check';
import { expect, it } from 'vitest';
import { carriedId, carriedProblem, originalId } from '../src/agentproc-common/carried-id.ts';
import { sessionProblem as older } from '../src/dialects/agentproc/wire.ts';
import { sessionProblem as newer } from '../src/dialects/agentproc-v4/session-id.ts';

it.each([
  ['0.1', older],
  ['0.4', newer],
])('comes back as the agent gave it, in characters that AgentProc %s allows', (_version, problemOf) => {
  const ids = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^pb~/),
  );
  fc.assert(
    fc.property(ids, (id) => {
      const carried = carriedId(id, problemOf);
      expect(carriedProblem(id, problemOf) === undefined).toBe(carried !== undefined);
      if (carried === undefined) return;
      expect(problemOf(carried)).toBeUndefined();
      expect(originalId(carried)).toBe(id);
    }),
  );
});

it('is left as it is where it can be, and where it is not one of ours', () => {
  expect(carriedId('s-1', older)).toBe('s-1');
  expect(carriedId('a b', newer)).toBe('a b');
  expect(carriedId('a b', older)).toBe('pb~a%20b');
  expect(carriedId('pb~x', older)).toBe('pb~pb~x');
  expect(originalId('pb~%')).toBe('pb~%');
  expect(originalId('pb~')).toBe('pb~');
});

it('has a problem only when no form of it can be told', () => {
  expect(carriedProblem('x'.repeat(4096), older)).toBeUndefined();
  expect(carriedProblem('x'.repeat(4097), older)).toContain('4096');
  expect(carriedProblem(' '.repeat(2000), older)).toBeDefined();
  expect(carriedProblem('', newer)).toBeDefined();
  expect(carriedProblem('\ud800', older)).toBeDefined();
});
