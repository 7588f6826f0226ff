import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { createSearcher, type Searcher } from '../../src/drivers/sqlite/search/searcher.ts';
import { searchWordsOf } from '../../src/drivers/sqlite/search/words.ts';
import { place, say } from '../contract/setup.ts';
import { directory } from '../files.ts';

let home: string;
let file: string;
const opened: Searcher[] = [];

beforeEach(async () => {
  home = directory();
  file = join(home, 'store.db');
  const store = openSqlite(file, { clock: () => 1_000_000 });
  await say(store, await store.sessions.open(place('hall')), 'a marvel');
  await store.sessions.list({ limit: 1, search: 'marvel' });
  await store.close();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((searcher) => searcher.close()));
  rmSync(home, { recursive: true });
});

function searcherWith(limitMs: number, waiting: number): Searcher {
  const searcher = createSearcher(file, { limitMs, waiting });
  opened.push(searcher);
  return searcher;
}

const MARVEL = { words: searchWordsOf('marvel'), limit: 10 };

it('a search that takes longer than its limit is refused as busy, and the next one is answered', async () => {
  const impatient = searcherWith(-1, 10);
  await expect(impatient.find(MARVEL)).rejects.toMatchObject({ code: 'busy' });
  const patient = searcherWith(5_000, 10);
  expect((await patient.find(MARVEL)).map((session) => session.place)).toEqual(['hall']);
});

it('a search that is cancelled rejects at once, and those behind it are answered', async () => {
  const searcher = searcherWith(5_000, 10);
  const cancelled = new AbortController();
  const first = searcher.find(MARVEL, cancelled.signal);
  const second = searcher.find(MARVEL);
  cancelled.abort(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  expect(await second).toHaveLength(1);
});

it('more searches than may wait are refused as busy', async () => {
  const searcher = searcherWith(5_000, 1);
  const taken = [searcher.find(MARVEL), searcher.find(MARVEL)];
  await expect(searcher.find(MARVEL)).rejects.toMatchObject({ code: 'busy' });
  expect((await Promise.all(taken)).map((found) => found.length)).toEqual([1, 1]);
});

it('closing a searcher refuses the searches that run and wait, and everything after', async () => {
  const searcher = searcherWith(5_000, 10);
  const outcomes = Promise.allSettled([searcher.find(MARVEL), searcher.find(MARVEL)]);
  await searcher.close();
  await expect(searcher.find(MARVEL)).rejects.toMatchObject({ code: 'closed' });
  const codes = (await outcomes).map((one) => (one.status === 'rejected' ? one.reason.code : 'found'));
  expect(codes).toEqual(['closed', 'closed']);
});

it('a search in a file that is no database says so', async () => {
  rmSync(file);
  const other = new DatabaseSync(file);
  other.exec('create table something (x)');
  other.close();
  await expect(searcherWith(5_000, 10).find(MARVEL)).rejects.toThrow('cannot be used');
});
