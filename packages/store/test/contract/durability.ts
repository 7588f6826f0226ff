import { describe, expect, it } from 'vitest';
import {
  claimed,
  claimOne,
  delivery,
  message,
  type OpenStore,
  place,
  say,
  success,
  transcript,
  useStore,
} from './setup.ts';

export function describeDurability(open: OpenStore): void {
  describe('after a restart', () => {
    const its = useStore(open);

    it('a page of the log ends after its bytes, but not before its first event', async () => {
      const claim = await claimed(its.store);
      await its.store.turns.record(claim, {
        events: ['a', 'b', 'c', 'd'].map((letter) => message(letter.repeat(1_000))),
      });
      const read = async (after: number, bytes: number): Promise<number[]> =>
        (await its.store.log.read(claim.session.id, { after, limit: 99, bytes })).map(({ number }) => number);
      expect(await read(1, 1)).toEqual([2]);
      expect(await read(1, 2_500)).toEqual([2, 3, 4]);
      expect(await read(1, 1_000_000)).toEqual([2, 3, 4, 5]);
      expect(await read(5, 1)).toEqual([]);
    });

    it('sessions, log, turns, deliveries and tokens survive a restart, and event numbers go on', async () => {
      const claim = await claimed(its.store);
      await its.store.turns.record(claim, { events: [message('hi')] });
      await its.store.turns.record(claim, { events: [], end: success('hi'), deliveries: [delivery('hi')] });
      await say(its.store, claim.session, 'waiting', 'kept');
      await its.store.tokens.add({ id: 't', name: 'n', hash: 'h', scopes: [] });
      const before = {
        sessions: await its.store.sessions.list({ limit: 9, search: 'waiting' }),
        log: await its.store.log.read(claim.session.id, { after: 0, limit: 99 }),
        turns: await its.store.turns.list(claim.session.id, { limit: 9 }),
        deliveries: await its.store.outbox.list({ limit: 9 }),
        tokens: await its.store.tokens.list(),
      };
      const store = await its.reopen();
      expect({
        sessions: await store.sessions.list({ limit: 9, search: 'waiting' }),
        log: await store.log.read(claim.session.id, { after: 0, limit: 99 }),
        turns: await store.turns.list(claim.session.id, { limit: 9 }),
        deliveries: await store.outbox.list({ limit: 9 }),
        tokens: await store.tokens.list(),
      }).toEqual(before);
      expect(before.sessions).toHaveLength(1);
      expect((await say(store, claim.session, 'waiting', 'kept')).duplicate).toBe(true);
      expect((await say(store, claim.session, 'more')).number).toBe(5);
      expect((await claimOne(store)).fence).toBe(claim.fence + 1);
    });

    it('a turn that ran before a restart is interrupted once, with one notice', async () => {
      const claim = await claimed(its.store);
      await say(its.store, claim.session, 'next');
      await its.store.turns.record(claim, { events: [message('half an ans')] });
      for (let round = 0; round < 2; round += 1) {
        const store = await its.reopen();
        expect(await store.turns.claim({ node: 'north', leaseMs: 1, limit: 9 })).toEqual([]);
        const ended = await store.turns.recover({ node: 'north', notice: () => delivery('interrupted') });
        expect(ended).toHaveLength(round === 0 ? 1 : 0);
        expect(await store.outbox.list({ limit: 9 })).toHaveLength(1);
        if (round === 0) await store.turns.claimOwn(claim.session.id, { node: 'south', leaseMs: 9e9 });
      }
    });

    it('a delivery that was being sent before a restart becomes unknown', async () => {
      const { id } = await its.store.sessions.open(place('hall'));
      await its.store.outbox.add(id, delivery('one'));
      await its.store.outbox.take({ channel: 'web', node: 'north', limit: 1 });
      const store = await its.reopen();
      expect(await store.outbox.take({ channel: 'web', node: 'north', limit: 1 })).toEqual([]);
      expect(await store.outbox.recover('north')).toMatchObject([{ state: 'unknown', attempts: 1 }]);
    });
  });

  describe('the log', () => {
    const its = useStore(open);

    it('the log is read in pages from any number on', async () => {
      const claim = await claimed(its.store);
      await its.store.turns.record(claim, { events: Array.from({ length: 30 }, (_, n) => message(`${n}`)) });
      const pages: number[][] = [];
      for (let after = 0; ; after = pages.at(-1)?.at(-1) ?? 0) {
        const page = await its.store.log.read(claim.session.id, { after, limit: 12 });
        if (page.length === 0) break;
        pages.push(page.map(({ number }) => number));
      }
      expect(pages.map(({ length }) => length)).toEqual([12, 12, 7]);
      expect(pages.flat()).toEqual(Array.from({ length: 31 }, (_, n) => n + 1));
    });

    it('the log of a session has no event of another', async () => {
      const hall = await claimed(its.store);
      const yard = await its.store.sessions.open(place('yard'));
      await say(its.store, yard, 'over here');
      await its.store.turns.record(hall, { events: [message('hi')] });
      expect(await transcript(its.store, yard.id)).toEqual(['1 user: over here']);
      expect(await transcript(its.store, 'nothing')).toEqual([]);
    });
  });

  describe('the store', () => {
    const its = useStore(open);

    it('check resolves for a writable store', async () => {
      await its.store.check();
      await its.store.check();
    });

    it('close commits waiting writes, and later calls reject with closed', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const { store } = its;
      const asked = [1, 2, 3].map((n) => say(store, session, `${n}`));
      await store.close();
      await store.close();
      expect((await Promise.all(asked)).map(({ number }) => number)).toEqual([1, 2, 3]);
      const closed = { code: 'closed' };
      await expect(say(store, session, 'late')).rejects.toMatchObject(closed);
      await expect(store.sessions.get(session.id)).rejects.toMatchObject(closed);
      await expect(store.check()).rejects.toMatchObject(closed);
      expect(await transcript(await its.reopen(), session.id)).toHaveLength(3);
    });
  });
}
