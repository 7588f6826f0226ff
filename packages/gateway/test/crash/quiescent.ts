import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Whether nothing runs, waits or is to be sent, as far as the file says. */
export function quiescent(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
  try {
    const { busy } = database
      .prepare(
        `select (select count(*) from sessions where running = 1 or waiting > 0)
           + (select count(*) from deliveries where state in ('pending', 'sending')) as busy`,
      )
      .get() as { busy: number };
    return busy === 0;
  } catch {
    return false; // not made yet
  } finally {
    database.close();
  }
}
