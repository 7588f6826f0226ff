import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { place, say } from '../contract/setup.ts';
import { directory } from '../files.ts';

it('the file has no bytes of the messages of a forgotten session', async () => {
  const home = directory();
  const file = join(home, 'store.db');
  let now = 1_000_000;
  const store = openSqlite(file, { clock: () => now });
  const session = await store.sessions.open(place('hall'));
  for (let number = 0; number < 40; number += 1)
    await say(store, session, `a secret of mine, number ${number}`);
  await store.inbox.dropWaiting(session.id);
  now += 10_000;
  expect((await store.sessions.forget({ idleMs: 5_000, limit: 10 })).sessions).toBe(1);
  await store.close();
  const bytes = readFileSync(file);
  rmSync(home, { recursive: true });
  expect(bytes.includes('a secret of mine')).toBe(false);
});
