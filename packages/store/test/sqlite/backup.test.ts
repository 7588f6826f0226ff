import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import type { Opened } from '../contract/setup.ts';
import { claimOne, delivery, message, place, say, success, transcript } from '../contract/setup.ts';
import { directory, openFile } from '../files.ts';

let its: Opened;
let home: string;
let file: string;

beforeEach(async () => {
  its = await openFile();
  home = directory();
  file = join(home, 'backup.db');
});
afterEach(async () => {
  await its.destroy();
  rmSync(home, { recursive: true });
});

it('Store.backup makes a store with all sessions, events and deliveries', async () => {
  const session = await its.store.sessions.open(place('hall'));
  await say(its.store, session, 'hello');
  const claim = await claimOne(its.store);
  await its.store.turns.record(claim, {
    events: [message('hi')],
    end: success('hi'),
    deliveries: [delivery('hi')],
  });
  await its.store.backup(file);
  expect(readdirSync(home)).toEqual(['backup.db']);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  await say(its.store, session, 'not in the copy');
  const restored = openSqlite(file, { clock: () => its.clock.now });
  expect(await transcript(restored, session.id)).toEqual(['1 user: hello', '2 message: hi', '3 end: hi']);
  expect(await restored.sessions.list({ limit: 9, search: 'hello' })).toHaveLength(1);
  expect(await restored.outbox.list({ limit: 9 })).toHaveLength(1);
  expect((await say(restored, session, 'goes on')).number).toBe(4);
  await restored.close();
});

it('a backup has the state of one moment while writes go on', async () => {
  const sessions = await Promise.all(['a', 'b'].map((name) => its.store.sessions.open(place(name))));
  let copied = false;
  const copying = its.store.backup(file).then(() => {
    copied = true;
  });
  let written = 0;
  do {
    await Promise.all(sessions.map((session) => say(its.store, session, `text ${written}`.repeat(50))));
    written += 1;
  } while (!copied || written < 50);
  await copying;
  const copy = new DatabaseSync(file, { readOnly: true });
  expect(copy.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
  const [a, b] = copy
    .prepare(
      'select last_event as last, (select count(*) from events where session = seq) as n from sessions',
    )
    .all();
  // Both were written in each commit, so a copy of one moment has as many of each.
  expect(a).toEqual(b);
  copy.close();
});

it('Store.backup rejects with conflict for an existing file and leaves it unchanged', async () => {
  writeFileSync(file, 'precious');
  await expect(its.store.backup(file)).rejects.toMatchObject({
    code: 'conflict',
    message: `The file ${file} is there already.`,
  });
  expect(readFileSync(file, 'utf8')).toBe('precious');
});

it('a failed backup leaves no file behind', async () => {
  await expect(its.store.backup(join(home, 'missing', 'backup.db'))).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(readdirSync(home)).toEqual([]);
});

it('Store.close waits for a running backup', async () => {
  const copying = its.store.backup(file);
  // Let it begin: what has not begun is refused.
  await Promise.resolve();
  await its.store.close();
  expect(readdirSync(home)).toEqual(['backup.db']);
  expect(statSync(file).size).toBeGreaterThan(0);
  await copying;
  await expect(its.store.backup(join(home, 'second.db'))).rejects.toMatchObject({ code: 'closed' });
});
