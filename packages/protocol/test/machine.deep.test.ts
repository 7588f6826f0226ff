import { expect, it } from 'vitest';
import { type AnyDialect, dialects } from '../src/dialects/index.ts';
import { CODEX_CONVERSATION } from './codex-machine.ts';
import { expectLawfulMachine } from './machine.ts';
import { SCRATCH_TRANSCRIPTS, scratch } from './scratch-dialect/index.ts';

it.each(Object.entries(dialects))(
  'in 10,000 interleavings of %s every input and every turn has one end',
  (_name, dialect) => void expectLawfulMachine(dialect, 10_000),
);

it('in 10,000 interleavings of a dialect from outside every input and every turn has one end', () => {
  expectLawfulMachine(scratch as unknown as AnyDialect, 10_000, SCRATCH_TRANSCRIPTS);
});

it('in 30,000 interleavings of a turn of codex that asks, every question, input and turn has one end', () => {
  const asked = expectLawfulMachine(dialects.codex, 30_000, undefined, CODEX_CONVERSATION);
  expect(asked).toBeGreaterThan(3_000);
});
