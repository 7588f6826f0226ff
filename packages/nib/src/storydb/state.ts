import { checksum } from '../files/checksum.ts';
import type { Story } from './story.ts';

/**
 * - `indexed`: the story database knows the scene as it is.
 * - `stale`: the scene has changed since it was indexed.
 * - `unindexed`: it was never indexed.
 * - `missing`: it has no file.
 */
export type IndexState = 'indexed' | 'stale' | 'unindexed' | 'missing';

/** How the story database stands to a scene's file. */
export function indexState(story: Story, slug: string, bytes: Uint8Array | undefined): IndexState {
  if (bytes === undefined) return 'missing';
  const row = story.scenes.rows.find(({ scene }) => scene === slug);
  if (row === undefined) return 'unindexed';
  return row.checksum === checksum(bytes) ? 'indexed' : 'stale';
}
