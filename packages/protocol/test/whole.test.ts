import { expect, it } from 'vitest';
import type { End } from '../src/model/event.ts';
import { addMessage, createWhole, endWith, textOf } from '../src/model/whole.ts';

const END: End = { type: 'end', outcome: 'success', text: '' };

it('joins messages by blank lines, and can be read in between', () => {
  const whole = createWhole();
  expect(textOf(whole)).toBe('');
  addMessage(whole, 'one');
  expect(textOf(whole)).toBe('one');
  addMessage(whole, '');
  addMessage(whole, 'two');
  expect(textOf(whole)).toBe('one\n\ntwo');
  expect(textOf(whole)).toBe('one\n\ntwo');
  expect(endWith(whole, END)).toBe(END);
});

it('fails a turn that said more than one answer can hold', () => {
  const whole = createWhole();
  const piece = 'x'.repeat(1024 * 1024);
  for (let at = 0; at < 65; at += 1) addMessage(whole, piece);
  expect(textOf(whole).length).toBeLessThan(66 * 1024 * 1024);
  expect(endWith(whole, END)).toMatchObject({ outcome: 'error', error: { code: 'too-long' } });
  const timeout = { ...END, outcome: 'timeout' } as const;
  expect(endWith(whole, timeout)).toBe(timeout);
});
