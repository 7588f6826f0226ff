import { describe, expect, it } from 'vitest';
import { isBeforeConnection } from '../../src/channels/network-error.ts';

const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });

describe('An error before the connection', () => {
  it.each([
    ['a refused connection', refused],
    [
      'a refused connection that two libraries wrapped',
      new Error('a', { cause: new Error('b', { cause: refused }) }),
    ],
    ['all addresses of a name refused', new AggregateError([refused, refused])],
    [
      'a time-out of the connection',
      Object.assign(new Error('x'), { code: 'ETIMEDOUT', syscall: 'connect' }),
    ],
    ['a certificate', Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' })],
  ])('proves that nothing was sent: %s', (_name, error) => {
    expect(isBeforeConnection(error)).toBe(true);
  });

  it.each([
    ['a reset', reset],
    ['one address refused, and another cut off', new AggregateError([refused, reset])],
    ['a time-out of an answer', Object.assign(new Error('x'), { code: 'ETIMEDOUT', syscall: 'read' })],
    ['an error without a code', new Error('x')],
    ['something that is no error', 'x'],
  ])('proves nothing: %s', (_name, error) => {
    expect(isBeforeConnection(error)).toBe(false);
  });

  it('is found in a chain that ends in itself', () => {
    const error: Error & { cause?: unknown } = new Error('round');
    error.cause = error;
    expect(isBeforeConnection(error)).toBe(false);
  });
});
