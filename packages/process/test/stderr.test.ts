import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTail } from '../src/stderr.ts';

it('keeps the last bytes, however they were cut into chunks', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 20 }).map((bytes) => bytes.map((byte) => byte & 0x7f)));
  fc.assert(
    fc.property(chunks, fc.nat({ max: 30 }), (parts, limit) => {
      const tail = createTail(limit);
      for (const part of parts) tail.push(part);
      const whole = Buffer.concat(parts);
      expect(tail.text()).toBe(whole.subarray(Math.max(0, whole.length - limit)).toString());
    }),
  );
});

it('starts at a whole character after a cut', () => {
  const tail = createTail(10);
  tail.push(Buffer.from('ääääää'));
  expect(tail.text()).toBe('äääää');
  tail.push(Buffer.from('b'));
  expect(tail.text()).toBe('ääääb');
});

it('does not show a character that is still arriving', () => {
  const tail = createTail(10);
  tail.push(Buffer.from('a€').subarray(0, 3));
  expect(tail.text()).toBe('a');
  tail.push(Buffer.from('€').subarray(2));
  expect(tail.text()).toBe('a€');
});

it('is empty when nothing was written', () => {
  expect(createTail(10).text()).toBe('');
});
