import { createHash } from 'node:crypto';

/** The checksum by which a scene is known to have changed: SHA-256 of the file's bytes, in lower-case hex. */
export function checksum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
