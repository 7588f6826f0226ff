import type { Extraction } from '../indexing/extraction-schema.ts';
import type { Scene } from '../project/book.ts';
import { combineRecords, type FoundRecord, listRecords } from './found-record.ts';
import { type Reviewer, reviewRecord } from './review-record.ts';

/** The result of `reviewExtraction`. */
export type Review =
  | { readonly kind: 'accepted'; readonly found: Extraction }
  | { readonly kind: 'skipped' | 'quit' | 'interrupted' };

/** Reviews the records of a scene with a person. No record is stored before all are decided. */
export async function reviewExtraction(
  reviewer: Reviewer,
  { ref, slug }: Scene,
  found: Extraction,
): Promise<Review> {
  const { env } = reviewer;
  const records = listRecords(found);
  env.err(`\n${ref} ${slug}: ${records.length} records to look at.\n`);
  const kept: FoundRecord[] = [];
  for (const [index, record] of records.entries()) {
    const verdict = await reviewRecord(reviewer, record, found.scene);
    if (verdict.kind === 'quit' || verdict.kind === 'interrupted') return { kind: verdict.kind };
    // The other records refer to the scene record.
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
  const whole = combineRecords(kept);
  return whole === undefined ? { kind: 'skipped' } : { kind: 'accepted', found: whole };
}
