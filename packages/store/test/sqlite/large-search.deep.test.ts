import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { directory } from '../files.ts';
import { copyLargeStore, createVocabulary, LARGE_STORE_BEGAN } from '../large/large-store.ts';

const home = directory();
let store: Store;
const { words } = createVocabulary();

beforeAll(async () => {
  await copyLargeStore(1_000_000, join(home, 'large.db'));
  store = openSqlite(join(home, 'large.db'), { clock: () => LARGE_STORE_BEGAN * 2 });
});
afterAll(async () => {
  await store.close();
  rmSync(home, { recursive: true });
});

it.each([
  ['a word that nobody said', 'nobody-said-this', 0],
  ['a single letter', 'a', 50],
  ['five common words', words.slice(0, 5).join(' '), 50],
  ['a rare word', `conversation 4711`, 1],
])('a search for %s in 1,000,000 messages does not hold up the event loop', async (_, search, found) => {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const sessions = await store.sessions.list({ limit: 50, search });
  delay.disable();
  expect(sessions).toHaveLength(found);
  expect(delay.max / 1e6).toBeLessThan(250);
});

it('words that are common alone and never stand together are found not to, within the limit of a search', async () => {
  const [first, second] = [words[2_000], words[2_001]];
  const both = await store.sessions.list({ limit: 50, search: `${first} ${second} nobody-said-this` });
  expect(both).toEqual([]);
  const every = await store.sessions.list({ limit: 200, search: `${first} ${second}` });
  for (const session of every.slice(0, 5)) {
    const events = await store.log.read(session.id, { after: 0, limit: 1_000 });
    const text = events.map(({ event }) => ('text' in event ? event.text : '')).join('\n');
    expect(text).toContain(first);
    expect(text).toContain(second);
  }
});
