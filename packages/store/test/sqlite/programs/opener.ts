import { openSqlite } from '../../../src/drivers/sqlite/open.ts';

/** Opens a store at a given instant, says how that went, and holds it until its input ends. */
const [file = '', at = '0'] = process.argv.slice(2);
while (Date.now() < Number(at));
try {
  const store = openSqlite(file, { clock: Date.now });
  await store.check();
  process.stdout.write('opened\n');
  process.stdin.resume().on('end', () => store.close());
} catch (error) {
  process.stdout.write(`${(error as { code?: string }).code}: ${(error as Error).message}\n`);
}
