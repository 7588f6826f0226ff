import type { Connection } from '../../database/connection.ts';
import { MemoryError } from '../../database/error.ts';
import { shortened } from '../tokens.ts';
import type { Author } from './entry.ts';
import { liveEntry } from './stored.ts';

/** The entries that belong into every prompt, and what each may take of it, in tokens. */
export const STANDING = ['identity', 'behaviour'] as const;
const LIMIT = 1_500;

/** Whether an entry stands in every prompt. */
export function isStanding(slug: string): boolean {
  return (STANDING as readonly string[]).includes(slug);
}

/** The entry that holds a proposal for a standing one; it is in no prompt. */
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

/** What belongs into every prompt of long-term knowledge; empty when there is nothing. */
export function standingOf(connection: Connection): string {
  return STANDING.flatMap((slug) => {
    const entry = liveEntry(connection, slug);
    if (entry === undefined || entry.body.trim() === '') return [];
    return [`## ${entry.title}\n\n${shortened(entry.body.trim(), LIMIT)}`];
  }).join('\n\n');
}
