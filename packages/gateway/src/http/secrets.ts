import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A key that cannot be guessed: 256 bits, with a beginning by which people and scanners know what it is. */
export function newSecret(): string {
  return `pb_${randomBytes(32).toString('base64url')}`;
}

/** What is kept of a key. Keys are long and random, so that a fast hash is enough. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares without telling by its time how much was right. */
export function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(a)), Buffer.from(hashOf(b)));
}
