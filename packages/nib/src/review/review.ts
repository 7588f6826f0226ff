import type { Extraction } from '../indexing/schema.ts';
import type { Scene } from '../project/book.ts';
import { judge, type Reviewer } from './judge.ts';
import { type FoundRecord, gather, recordsOf } from './record.ts';

/** What a person made of a scene's records. */
export type Review =
  | { readonly kind: 'accepted'; readonly found: Extraction }
  | { readonly kind: 'skipped' | 'quit' | 'interrupted' };

/** Goes through the records of a scene with a person. Nothing counts before all of them are judged. */
export async function reviewExtraction(
  reviewer: Reviewer,
  { ref, slug }: Scene,
  found: Extraction,
): Promise<Review> {
  const { env } = reviewer;
  const records = recordsOf(found);
  env.err(`\n${ref} ${slug}: ${records.length} records to look at.\n`);
  const kept: FoundRecord[] = [];
  for (const [index, record] of records.entries()) {
    const verdict = await judge(reviewer, record, found.scene);
    if (verdict.kind === 'quit' || verdict.kind === 'interrupted') return { kind: verdict.kind };
    // The other records hang on the scene itself.
    if (verdict.kind === 'skip' || (verdict.kind === 'reject' && record.part === 'scene')) {
      env.err('Nothing of this scene is stored.\n');
      return { kind: 'skipped' };
    }
    if (verdict.kind !== 'accept') continue;
    kept.push(verdict.record);
    if (verdict.all) {
      kept.push(...records.slice(index + 1));
      break;
    }
  }
  const whole = gather(kept);
  return whole === undefined ? { kind: 'skipped' } : { kind: 'accepted', found: whole };
}
