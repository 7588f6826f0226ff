import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Runs `pragma quick_check` on a read-only connection and posts its result: `ok`, or the first problems. */
const { file } = workerData as { file: string };
const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
try {
  const found = database.prepare('pragma quick_check(3)').all() as { quick_check: string }[];
  parentPort?.postMessage(found.map(({ quick_check }) => quick_check).join('; '));
} catch (error) {
  parentPort?.postMessage((error as Error).message);
} finally {
  database.close();
}
