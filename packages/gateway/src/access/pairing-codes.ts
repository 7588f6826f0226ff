import { randomBytes } from 'node:crypto';
import { hashOf } from '../http/secrets.ts';

/** Without letters and digits that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

const CODE_LENGTH = 8;

/** How long a code is good. */
export const CODE_MS = 60 * 60_000;

/** A code for people to read and type: `ABCD-EFGH`, 40 bits. */
export function newPairingCode(): string {
  const letters = [...randomBytes(CODE_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** The hash under which the store has a code, however it was typed; undefined for a text that is no code. */
export function pairingHash(typed: string): string | undefined {
  const letters = typed.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return letters.length === CODE_LENGTH ? hashOf(`pairing:${letters}`) : undefined;
}

/** The code in a message that may carry an invitation: the code alone, or behind `/start`, which links send. */
export function invitationIn(text: string): string | undefined {
  const match = /^(?:\/start(?:@\S+)?\s+)?([A-Za-z0-9]{4}-?[A-Za-z0-9]{4})$/.exec(text.trim());
  return match?.[1] === undefined ? undefined : pairingHash(match[1]);
}
