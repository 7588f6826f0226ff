import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_BITS = 80n;
const RANDOM_LIMIT = 1n << RANDOM_BITS;

/**
 * Makes ids that sort by the time they were made: 26 characters, 48 bits of time and 80 of chance. Within a millisecond, and
 * when the clock goes back, the last id is counted up, so that a later one is always the greater.
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
    return encode(last);
  };
}

function encode(value: bigint): string {
  let text = '';
  for (let rest = value; text.length < 26; rest >>= 5n) text = ALPHABET.charAt(Number(rest & 31n)) + text;
  return text;
}
