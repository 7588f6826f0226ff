import type { Connection } from '@plugboard/sqlite';
import { MemoryError } from '../../database/error.ts';
import { shortenText } from '../tokens.ts';
import type { Author } from './entry.ts';
import { liveEntry } from './stored.ts';

/** Entries that are part of every system prompt, each cut to `LIMIT` tokens. */
export const STANDING = ['identity', 'behaviour'] as const;
const LIMIT = 1_500;

export function isStanding(slug: string): boolean {
  return (STANDING as readonly string[]).includes(slug);
}

/** The slug of the entry with the proposal for a standing entry. It is in no prompt. */
export function proposalSlug(slug: string): string {
  return `proposed-${slug}`;
}

/**
 * The distiller and background research read files and web pages unattended: with write access to `STANDING`, a file
 * could put a text into every prompt. They may write a proposal, which a person accepts.
 */
export function refuseUnwatched(slug: string, by: Author): void {
  if (!isStanding(slug) || by === 'person' || by === 'agent') return;
  throw new MemoryError(
    'invalid',
    `The entry "${slug}" stands in every prompt, and only a person can change it: write "${proposalSlug(slug)}" instead.`,
  );
}

/** The text of the standing entries for the system prompt; empty when there are none. */
export function standingOf(connection: Connection): string {
  return STANDING.flatMap((slug) => {
    const entry = liveEntry(connection, slug);
    if (entry === undefined || entry.body.trim() === '') return [];
    return [`## ${entry.title}\n\n${shortenText(entry.body.trim(), LIMIT)}`];
  }).join('\n\n');
}
