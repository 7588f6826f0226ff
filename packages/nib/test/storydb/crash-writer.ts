import { recordScene } from '../../src/storydb/record-scene.ts';
import { createUlids } from '../../src/storydb/ulid.ts';
import { createTestEntry } from '../stories.ts';

// Records the same scene with a new mark each time, until the process is killed.
const root = process.argv[2] ?? '';
const newId = createUlids(() => 0);
for (let round = 1; ; round += 1) {
  await recordScene(root, createTestEntry('a', `m${round}`), { newId, indexedAt: 't' });
  process.stdout.write(`${round}\n`);
}
