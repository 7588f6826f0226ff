import { computeChecksum } from '../files/checksum.ts';
import type { Story } from './story.ts';

/**
 * - `indexed`: the story database has the scene with its present checksum.
 * - `stale`: the scene has changed since it was indexed.
 * - `unindexed`: it was never indexed.
 * - `missing`: it has no file.
 */
export type IndexState = 'indexed' | 'stale' | 'unindexed' | 'missing';

/** Compares the checksum of a scene's file with its row in `story.scenes`. */
export function getIndexState(story: Story, slug: string, bytes: Uint8Array | undefined): IndexState {
  if (bytes === undefined) return 'missing';
  const row = story.scenes.rows.find(({ scene }) => scene === slug);
  if (row === undefined) return 'unindexed';
  return row.checksum === computeChecksum(bytes) ? 'indexed' : 'stale';
}
