import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createStderrTail } from '../src/stderr-tail.ts';

it('the stderr tail keeps the last bytes for every size of chunks', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 20 }).map((bytes) => bytes.map((byte) => byte & 0x7f)));
  fc.assert(
    fc.property(chunks, fc.nat({ max: 30 }), (parts, limit) => {
      const tail = createStderrTail(limit);
      for (const part of parts) tail.push(part);
      const whole = Buffer.concat(parts);
      expect(tail.text()).toBe(whole.subarray(Math.max(0, whole.length - limit)).toString());
    }),
  );
});

it('the stderr tail starts at a whole character after a cut', () => {
  const tail = createStderrTail(10);
  tail.push(Buffer.from('ääääää'));
  expect(tail.text()).toBe('äääää');
  tail.push(Buffer.from('b'));
  expect(tail.text()).toBe('ääääb');
});

it('the stderr tail omits a character that is still arriving', () => {
  const tail = createStderrTail(10);
  tail.push(Buffer.from('a€').subarray(0, 3));
  expect(tail.text()).toBe('a');
  tail.push(Buffer.from('€').subarray(2));
  expect(tail.text()).toBe('a€');
});

it('the stderr tail is empty when nothing was written', () => {
  expect(createStderrTail(10).text()).toBe('');
});
