import { recordScene } from '../../src/storydb/record.ts';
import { createUlids } from '../../src/storydb/ulid.ts';
import { entryFor } from '../stories.ts';

// Records the same scene over and over, each time with another mark, until somebody kills it.
const root = process.argv[2] ?? '';
const newId = createUlids(() => 0);
for (let round = 1; ; round += 1) {
  await recordScene(root, entryFor('a', `m${round}`), { newId, indexedAt: 't' });
  process.stdout.write(`${round}\n`);
}
