import { randomUUID } from 'node:crypto';

/** A new id: when it was made, then chance, so that ids made one after the other lie side by side in an index. */
export function newId(now: number): string {
  // The part of a UUID from here on is chance, but for six bits; Node draws it for many at once.
  return now.toString(16).padStart(12, '0') + randomUUID().slice(14).replaceAll('-', '');
}
