import { join } from 'node:path';
import { type Errands, StoreError } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import { onTestEnd, temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { createWorkNotes } from '../../src/agents/background-work.ts';
import { silentLogger } from '../../src/log.ts';

/** A book over a real store, and what was written for it. */
async function openBook() {
  const home = temporaryDirectory();
  const store = openSqlite(join(home.path, 'store.db'), { clock: Date.now, synchronous: 'normal' });
  onTestEnd(async () => {
    await store.close();
    home[Symbol.dispose]();
  });
  const session = async (place: string): Promise<string> =>
    (await store.sessions.open({ channel: 'web', place, agent: 'one' })).id;
  const writes: string[] = [];
  const trouble = { now: false };
  const errands: Errands = {
    list: () => store.errands.list(),
    async note(sessionId, agent) {
      writes.push(agent ?? 'none');
      if (trouble.now) throw new StoreError('full', 'The disk is full.');
      await store.errands.note(sessionId, agent);
    },
  };
  const book = createWorkNotes(errands, silentLogger);
  return { book, store, session, writes, trouble };
}

it('is written only when what it says changes', async () => {
  const { book, session, writes } = await openBook();
  const errand = { sessionId: await session('hall'), agent: 'one' };
  for (const underWay of [false, true, true, true, false, false]) book.note(errand, underWay, false);
  book.clear(errand.sessionId);
  expect(writes).toEqual(['one', 'none']);
});

it('knows what the one before it knew, and does not write that again', async () => {
  const { book, store, session, writes } = await openBook();
  const errand = { sessionId: await session('hall'), agent: 'one' };
  await store.errands.note(errand.sessionId, 'one');
  await book.load(async () => true);
  expect(book.all).toEqual([errand]);
  expect(book.has(errand)).toBe(true);
  expect(book.has({ ...errand, agent: 'two' })).toBe(false);
  book.note(errand, true, false);
  expect(writes).toEqual([]);
});

it('has an agent that is shared in one session alone', async () => {
  const { book, store, session } = await openBook();
  const [hall, attic] = [await session('hall'), await session('attic')];
  book.note({ sessionId: hall, agent: 'one' }, true, true);
  book.note({ sessionId: attic, agent: 'one' }, true, true);
  expect(book.all).toEqual([{ sessionId: attic, agent: 'one' }]);
  book.note({ sessionId: hall, agent: 'one' }, false, true);
  expect(book.all).toEqual([]);
  // Asked after the writes, in the order in which they were asked for.
  await store.check();
  expect(await store.errands.list()).toEqual([]);
});

it('tries again what could not be written', async () => {
  const { book, store, session, writes, trouble } = await openBook();
  const errand = { sessionId: await session('hall'), agent: 'one' };
  trouble.now = true;
  book.note(errand, true, false);
  await store.check();
  expect(book.has(errand)).toBe(false);
  trouble.now = false;
  book.note(errand, true, false);
  await store.check();
  expect(writes).toEqual(['one', 'one']);
  expect(await store.errands.list()).toEqual([errand]);
});
