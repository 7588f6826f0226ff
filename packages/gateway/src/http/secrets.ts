import { hash, randomBytes } from 'node:crypto';

/** A key that cannot be guessed: 256 bits, with a beginning by which people and scanners know what it is. */
export function newSecret(): string {
  return `pb_${randomBytes(32).toString('base64url')}`;
}

/**
 * What is kept of a key, and what keys are looked up by. Keys are long and random, so that a fast hash is enough; and
 * whoever measures how long a look-up takes learns about hashes, of which nobody can choose the beginning.
 */
export function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}
