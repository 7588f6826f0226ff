import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { place, say } from '../contract/setup.ts';
import { directory } from '../files.ts';

describe('the search index', () => {
  let home: string;
  let store: Store;
  let now = 1_000_000;
  const open = (): Store => openSqlite(join(home, 'store.db'), { clock: () => now });

  beforeEach(() => {
    home = directory();
    store = open();
  });
  afterEach(async () => {
    await store.close();
    rmSync(home, { recursive: true });
  });

  /** How many of the events that were said the index has seen, as somebody sees it who looks from outside. */
  function indexed(): number {
    const database = new DatabaseSync(join(home, 'store.db'), { readOnly: true });
    try {
      return (database.prepare('select seq from indexed').get() as { seq: number }).seq;
    } finally {
      database.close();
    }
  }

  async function found(search: string): Promise<string[]> {
    return (await store.sessions.list({ limit: 50, search })).map((session) => session.place).sort();
  }

  it('the commit of a message does not write to the search index', async () => {
    await say(store, await store.sessions.open(place('hall')), 'a marvel');
    expect(indexed()).toBe(0);
  });

  it('a few messages are indexed after a delay without a search', async () => {
    await say(store, await store.sessions.open(place('hall')), 'a marvel');
    await vi.waitFor(() => expect(indexed()).toBe(1), 5_000);
  });

  it('a page of messages is indexed without the delay', async () => {
    const session = await store.sessions.open(place('hall'));
    for (let number = 1; number <= 70; number += 1) await say(store, session, `marvel ${number}`);
    expect(indexed()).toBeGreaterThanOrEqual(64);
  });

  it('a search indexes all committed messages first', async () => {
    const session = await store.sessions.open(place('hall'));
    for (let number = 1; number <= 200; number += 1) await say(store, session, `marvel ${number}`);
    expect(await found('200')).toEqual(['hall']);
    expect(indexed()).toBe(200);
  });

  it('indexing continues at its mark after a restart', async () => {
    await say(store, await store.sessions.open(place('hall')), 'before the restart');
    await store.close();
    store = open();
    expect(await found('before')).toEqual(['hall']);
  });

  it('messages that a previous process did not index are indexed without a new message', async () => {
    await say(store, await store.sessions.open(place('hall')), 'a marvel');
    await store.close();
    store = open();
    expect(indexed()).toBe(0);
    await vi.waitFor(() => expect(indexed()).toBe(1), 5_000);
    // Having found something to do, or nothing, it goes on to wait for more.
    await say(store, await store.sessions.open(place('hall')), 'another');
    await vi.waitFor(() => expect(indexed()).toBe(2), 5_000);
  });

  it('messages after a forgotten newest session are found, and those of the session are not', async () => {
    await say(store, await store.sessions.open(place('hall')), 'the oldest');
    const old = await store.sessions.open(place('yard'));
    await say(store, old, 'the newest');
    expect(await found('newest')).toEqual(['yard']);
    const [claim] = await store.turns.claim({ node: 'north', leaseMs: 1_000, limit: 1 });
    expect(claim?.session.place).toBe('hall');
    await store.inbox.dropWaiting(old.id);
    now += 10_000;
    const forgotten = await store.sessions.forget({ idleMs: 5_000, limit: 10 });
    expect(forgotten.sessions).toBe(1);
    await say(store, await store.sessions.open(place('attic')), 'said in their stead');
    expect(await found('stead')).toEqual(['attic']);
    expect(await found('newest')).toEqual([]);
    expect(await found('oldest')).toEqual(['hall']);
  });

  it('a session can be forgotten before its messages are indexed', async () => {
    const session = await store.sessions.open(place('hall'));
    await say(store, session, 'never to be found');
    await store.inbox.dropWaiting(session.id);
    now += 10_000;
    expect((await store.sessions.forget({ idleMs: 5_000, limit: 10 })).sessions).toBe(1);
    expect(await found('never')).toEqual([]);
  });
});
