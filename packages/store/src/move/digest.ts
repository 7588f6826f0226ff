import { hash } from 'node:crypto';
import type { Value } from './move-table.ts';

/** Checksum of a table that is independent of the order of its rows. */
export interface Digest {
  rows: number;
  /** Sum of the hashes of all rows, modulo 2^128. */
  sum: bigint;
}

const MODULUS = 2n ** 128n;

export function emptyDigest(): Digest {
  return { rows: 0, sum: 0n };
}

export function addRow(digest: Digest, values: readonly Value[]): void {
  const half = hash('sha256', JSON.stringify(values), 'hex').slice(0, 32);
  digest.rows += 1;
  digest.sum = (digest.sum + BigInt(`0x${half}`)) % MODULUS;
}

export function sameDigest(one: Digest, other: Digest): boolean {
  return one.rows === other.rows && one.sum === other.sum;
}
