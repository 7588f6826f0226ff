import { expect, it } from 'vitest';
import { type Cause, type Exit, toExitCode } from '../src/ending.ts';

const cases: Array<[string, Cause, Exit, number]> = [
  ['an exit code of the program is unchanged', 'exit', { code: 3, signal: null }, 3],
  ['a signal gives 128 plus its number', 'signal', { code: null, signal: 'SIGKILL' }, 137],
  ['a timeout gives 124 for every exit of the program', 'timeout', { code: 0, signal: null }, 124],
  ['a cancel gives 130 for every exit of the program', 'cancel', { code: null, signal: 'SIGTERM' }, 130],
  ['a program killed at a limit gives 128 plus the signal', 'limit', { code: null, signal: 'SIGTERM' }, 143],
];

it.each(cases)('%s', (_, cause, exit, expected) => {
  expect(toExitCode(cause, exit)).toBe(expected);
});
