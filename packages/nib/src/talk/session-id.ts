import { createHash } from 'node:crypto';

/** The namespace of host names, under which hosts of this protocol derive their session ids. */
const NAMESPACE = Buffer.from('6ba7b8109dad11d180b400c04fd430c8', 'hex');

/** The session in which a character is talked to at a scene: the same words always give the same id (UUID version 5). */
export function talkSessionId(character: string, scene: string): string {
  const hash = createHash('sha1').update(NAMESPACE).update(`interview-${character}-${scene}`).digest();
  const bytes = hash.subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
