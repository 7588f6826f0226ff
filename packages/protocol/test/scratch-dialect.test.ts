import { dialects, listTurnVariables, registerDialect } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { SCRATCH_TRANSCRIPTS, scratch } from './scratch-dialect/index.ts';
import { describeMachine } from './transcript-machine.ts';

describe('scratch transcripts', () => describeMachine(scratch, SCRATCH_TRANSCRIPTS));

it('a dialect from outside is known from its registration on, and no longer than that', () => {
  const before = Object.keys(dialects);
  const remove = registerDialect({ ...scratch, turnVariables: ['SCRATCH_TURN'] });
  try {
    expect(Object.keys(dialects)).toEqual([...before, 'scratch']);
    expect(listTurnVariables()).toContain('SCRATCH_TURN');
    expect(() => registerDialect(scratch)).toThrow('There is a dialect scratch already.');
  } finally {
    remove();
  }
  expect(Object.keys(dialects)).toEqual(before);
});
