import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Reads the whole database on a connection of its own and posts what is wrong with it; `ok` when nothing is. */
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
