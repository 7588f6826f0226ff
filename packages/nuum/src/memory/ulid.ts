const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_DIGITS = 10;
const RANDOM_BYTES = 10;

/** A ULID: 48 bits of time and 80 random bits, in Crockford's base 32. */
export function createUlid(now: number, random: (bytes: number) => Uint8Array): string {
  const chance = random(RANDOM_BYTES).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const time = BigInt(Math.max(0, Math.trunc(now)));
  return base32(time, TIME_DIGITS) + base32(chance, (RANDOM_BYTES * 8) / 5);
}

function base32(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest >>= 5n) text = DIGITS[Number(rest & 31n)] + text;
  return text;
}
