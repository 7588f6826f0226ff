import { writeSync } from 'node:fs';
import { moveStore, type StorePlace } from '../../../src/move/move-store.ts';

/** Moves a store, and prints a line for each step: `copying 2000 of 9000`. The arguments are both places as JSON. */
const [from = '', to = ''] = process.argv.slice(2);
await moveStore({
  from: JSON.parse(from) as StorePlace,
  to: JSON.parse(to) as StorePlace,
  onProgress: ({ stage, rows, of }) => void writeSync(1, `${stage} ${rows} of ${of}\n`),
});
