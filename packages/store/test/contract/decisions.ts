import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/contract/records.ts';
import { delivery, type OpenStore, place, useStore } from './setup.ts';

export function describeDecisions(open: OpenStore): void {
  describe('a delivery of which nobody can tell', () => {
    const its = useStore(open);

    const take = (): Promise<readonly Delivery[]> =>
      its.store.outbox.take({ channel: 'web', node: 'north', limit: 10 });
    const doubtful = async (text = 'one', to = 'hall'): Promise<Delivery> => {
      const { id: session } = await its.store.sessions.open(place('hall'));
      const { id } = await its.store.outbox.add(session, delivery(text, to));
      await take();
      await its.store.outbox.settle(id, { state: 'unknown', problem: 'cut off' });
      const found = await its.store.outbox.get(id);
      if (found === undefined) throw new Error('It is not there.');
      return found;
    };

    it('a person can decide that an unknown delivery has arrived, and their name is stored', async () => {
      const before = await doubtful();
      its.clock.now += 5;
      const { now: at } = its.clock;
      const decided = await its.store.outbox.decide(before.id, { verdict: 'sent', by: 'ada' });
      expect(decided).toEqual({
        ...before,
        state: 'sent',
        problem: undefined,
        settled: { by: 'ada', at },
      });
      const store = await its.reopen();
      expect(await store.outbox.get(before.id)).toEqual(decided);
    });

    it('a person can have an unknown delivery sent again, although it has expired', async () => {
      const before = await doubtful();
      its.clock.now += 1_000_000;
      const { now: at } = its.clock;
      const decision = { verdict: 'again', by: 'ada', expiresInMs: 300 } as const;
      const decided = await its.store.outbox.decide(before.id, decision);
      expect(decided).toEqual({
        ...before,
        state: 'pending',
        nextAt: at,
        expiresAt: at + 300,
        settled: { by: 'ada', at },
      });
      expect(await its.store.outbox.expire()).toBe(0);
      expect(await take()).toEqual([{ ...decided, state: 'sending', attempts: 2 }]);
    });

    it('a delivery that is sent again comes before later ones of its place', async () => {
      const first = await doubtful('first');
      const { id: session } = await its.store.sessions.open(place('hall'));
      const { id: second } = await its.store.outbox.add(session, delivery('second'));
      await its.store.outbox.decide(first.id, { verdict: 'again', by: 'ada', expiresInMs: 300 });
      expect((await take()).map(({ id }) => id)).toEqual([first.id]);
      await its.store.outbox.settle(first.id, { state: 'sent' });
      expect((await take()).map(({ id }) => id)).toEqual([second]);
    });

    it('a dropped delivery has failed and keeps its problem', async () => {
      const before = await doubtful();
      const decided = await its.store.outbox.decide(before.id, { verdict: 'drop', by: 'ada' });
      expect(decided).toMatchObject({ state: 'failed', problem: 'cut off', settled: { by: 'ada' } });
      expect(await take()).toEqual([]);
    });

    it('of several simultaneous decisions one is stored and the others reject with conflict', async () => {
      const { id } = await doubtful();
      const { decide } = its.store.outbox;
      const results = await Promise.allSettled([
        decide(id, { verdict: 'again', by: 'ada', expiresInMs: 300 }),
        decide(id, { verdict: 'drop', by: 'bob' }),
        decide(id, { verdict: 'again', by: 'cid', expiresInMs: 300 }),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
      await expect(decide(id, { verdict: 'sent', by: 'bob' })).rejects.toMatchObject({
        code: 'conflict',
        message: `The delivery ${id} is pending, and not unknown.`,
      });
      expect(await its.store.outbox.get(id)).toMatchObject({ state: 'pending', settled: { by: 'ada' } });
    });

    it('a delivery that became unknown a second time can be decided again', async () => {
      const { id } = await doubtful();
      const { decide, settle, get } = its.store.outbox;
      await decide(id, { verdict: 'again', by: 'ada', expiresInMs: 300 });
      await take();
      await settle(id, { state: 'unknown', problem: 'cut off again' });
      await decide(id, { verdict: 'drop', by: 'bob' });
      expect(await get(id)).toMatchObject({ problem: 'cut off again', settled: { by: 'bob' } });
    });

    it('a later outcome of the channel does not change a decision', async () => {
      const { id } = await doubtful();
      await its.store.outbox.decide(id, { verdict: 'drop', by: 'ada' });
      await its.store.outbox.settle(id, { state: 'pending', afterMs: 0, problem: 'not there' });
      expect(await its.store.outbox.get(id)).toMatchObject({ state: 'failed', settled: { by: 'ada' } });
    });

    it('a decision about a delivery that is not unknown rejects with conflict', async () => {
      const { id: session } = await its.store.sessions.open(place('hall'));
      const { id } = await its.store.outbox.add(session, delivery('one'));
      const { decide, get } = its.store.outbox;
      await expect(decide(id, { verdict: 'drop', by: 'ada' })).rejects.toMatchObject({ code: 'conflict' });
      await take();
      await expect(decide(id, { verdict: 'drop', by: 'ada' })).rejects.toMatchObject({ code: 'conflict' });
      await expect(decide('nothing', { verdict: 'drop', by: 'ada' })).rejects.toMatchObject({
        code: 'not-found',
      });
      expect(await get(id)).toMatchObject({ state: 'sending', settled: undefined });
      expect(await get('nothing')).toBeUndefined();
    });

    it('each delivery is on one page of the list', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 7; n += 1) ids.unshift((await doubtful(`${n}`, `place ${n}`)).id);
      await its.store.outbox.decide(ids[2] ?? '', { verdict: 'drop', by: 'ada' });
      const seen: string[] = [];
      for (let before: string | undefined; ; before = seen.at(-1)) {
        const from = before === undefined ? {} : { before };
        const page = await its.store.outbox.list({ state: 'unknown', limit: 2, ...from });
        if (page.length === 0) break;
        seen.push(...page.map(({ id }) => id));
      }
      expect(seen).toEqual(ids.filter((_, index) => index !== 2));
      // The page before may have ended with one that has changed since.
      const [next] = await its.store.outbox.list({ state: 'unknown', limit: 1, before: ids[2] ?? '' });
      expect(next?.id).toBe(ids[3]);
      await expect(its.store.outbox.list({ limit: 1, before: 'nothing' })).rejects.toMatchObject({
        code: 'not-found',
      });
    });
  });
}
