import type { Connection } from '../../database/connection.ts';
import { shortened } from '../tokens.ts';
import { liveEntry } from './stored.ts';

/** The entries that belong into every prompt, and what each may take of it, in tokens. */
const STANDING = ['identity', 'behaviour'] as const;
const LIMIT = 1_500;

/** What belongs into every prompt of long-term knowledge; empty when there is nothing. */
export function standingOf(connection: Connection): string {
  return STANDING.flatMap((slug) => {
    const entry = liveEntry(connection, slug);
    if (entry === undefined || entry.body.trim() === '') return [];
    return [`## ${entry.title}\n\n${shortened(entry.body.trim(), LIMIT)}`];
  }).join('\n\n');
}
