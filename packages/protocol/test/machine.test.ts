import { expect, it } from 'vitest';
import { type AnyDialect, type DialectName, dialects } from '../src/dialects/index.ts';
import { CODEX_CONVERSATION } from './codex-machine.ts';
import { expectLawfulMachine } from './machine.ts';
import { SCRATCH_TRANSCRIPTS, scratch } from './scratch-dialect/index.ts';

const names = Object.keys(dialects) as DialectName[];

it('there are dialects to be tried', () => expect(names.length).toBeGreaterThanOrEqual(5));

it.each(names)('in 300 interleavings of %s every input and every turn has one end', (name) => {
  expectLawfulMachine(dialects[name], 300);
});

it('in 300 interleavings of a dialect from outside every input and every turn has one end', () => {
  expectLawfulMachine(scratch as unknown as AnyDialect, 300, SCRATCH_TRANSCRIPTS);
});

it('in 1,000 interleavings of a turn of codex that asks, every question, input and turn has one end', () => {
  const asked = expectLawfulMachine(dialects.codex, 1_000, undefined, CODEX_CONVERSATION);
  expect(asked).toBeGreaterThan(100);
});
