import { expect, it } from 'vitest';
import { type Cause, type Exit, exitCodeOf } from '../src/ending.ts';

const cases: Array<[string, Cause, Exit, number]> = [
  ['an exit code stands as it is', 'exit', { code: 3, signal: null }, 3],
  ['a signal is 128 and its number', 'signal', { code: null, signal: 'SIGKILL' }, 137],
  ['a timeout is 124 whatever the program says', 'timeout', { code: 0, signal: null }, 124],
  ['a cancel is 130 whatever the program says', 'cancel', { code: null, signal: 'SIGTERM' }, 130],
  ['a program killed at a limit tells the signal', 'limit', { code: null, signal: 'SIGTERM' }, 143],
];

it.each(cases)('%s', (_, cause, exit, expected) => {
  expect(exitCodeOf(cause, exit)).toBe(expected);
});
