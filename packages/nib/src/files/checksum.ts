import { createHash } from 'node:crypto';

/** The checksum in the index by which a changed scene is found: SHA-256 of the file's bytes, in lower-case hex. */
export function computeChecksum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
