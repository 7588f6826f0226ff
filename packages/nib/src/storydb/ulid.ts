import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_BITS = 80n;
const RANDOM_LIMIT = 1n << RANDOM_BITS;

/**
 * Creates ids that sort by creation time: 26 characters, 48 bits of time and 80 random bits. Within a millisecond, and
 * after the clock goes back, the last id is incremented, so that a later id is always greater.
 */
export function createUlids(
  now: () => number,
  random: () => Uint8Array = () => randomBytes(10),
): () => string {
  let last = -1n;
  return () => {
    const time = BigInt(Math.trunc(now())) << RANDOM_BITS;
    const fresh = time | (BigInt(`0x${Buffer.from(random()).toString('hex')}`) % RANDOM_LIMIT);
    last = time >> RANDOM_BITS > last >> RANDOM_BITS ? fresh : last + 1n;
    return encodeUlid(last);
  };
}

function encodeUlid(value: bigint): string {
  let text = '';
  for (let rest = value; text.length < 26; rest >>= 5n) text = ALPHABET.charAt(Number(rest & 31n)) + text;
  return text;
}
