import { hash, randomBytes } from 'node:crypto';

/** A token of 256 random bits. The prefix `pb_` lets secret scanners recognize it. */
export function newSecret(): string {
  return `pb_${randomBytes(32).toString('base64url')}`;
}

/**
 * Hash that the store keeps and looks up. Tokens are random, so that a fast hash is enough. Timing of the look-up
 * reveals only hash prefixes, which an attacker cannot choose.
 */
export function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}
