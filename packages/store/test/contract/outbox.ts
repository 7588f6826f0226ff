import { describe, expect, it } from 'vitest';
import type { Delivery, Session } from '../../src/contract/records.ts';
import { delivery, type OpenStore, place, useStore } from './setup.ts';

export function describeOutbox(open: OpenStore): void {
  describe('the outbox', () => {
    const its = useStore(open);

    const session = (): Promise<Session> => its.store.sessions.open(place('hall'));
    const add = async (text: string, to?: string, channel?: string): Promise<Delivery> =>
      its.store.outbox.add((await session()).id, delivery(text, to, channel));
    const take = async (limit = 10, node = 'north'): Promise<readonly Delivery[]> =>
      its.store.outbox.take({ channel: 'web', node, limit });
    const texts = (deliveries: readonly Delivery[]): unknown[] =>
      deliveries.map(({ body }) => (body as { text: string }).text);
    const states = async (): Promise<string[]> =>
      (await its.store.outbox.list({ limit: 99 })).map(({ state }) => state).reverse();

    it('an added delivery is pending until it is taken', async () => {
      its.clock.now = 1_000;
      const added = await add('one');
      expect(added).toEqual({
        id: added.id,
        sessionId: (await session()).id,
        turnId: undefined,
        channel: 'web',
        place: 'hall',
        body: { text: 'one' },
        state: 'pending',
        attempts: 0,
        nextAt: 1_000,
        expiresAt: 61_000,
        platformId: undefined,
        problem: undefined,
        settled: undefined,
      });
      expect(await take()).toEqual([{ ...added, state: 'sending', attempts: 1 }]);
      expect(await take()).toEqual([]);
    });

    it('take gives the oldest delivery of each place', async () => {
      for (const [text, to] of ['1a', '2b', '3a', '4c', '5b'].map((name) => [name, name.slice(1)] as const))
        await add(text, to);
      expect(texts(await take(2))).toEqual(['1a', '2b']);
      expect(texts(await take())).toEqual(['4c']);
      expect(texts(await take())).toEqual([]);
    });

    it('take gives the next delivery of a place once the one before is sent, failed or unknown', async () => {
      for (const text of ['one', 'two', 'three', 'four']) await add(text);
      const outcomes = [
        { state: 'sent' },
        { state: 'failed', problem: 'blocked' },
        { state: 'unknown', problem: 'cut off' },
      ] as const;
      const seen: unknown[] = [];
      for (const outcome of outcomes) {
        const [taken] = await take();
        seen.push(...texts(taken === undefined ? [] : [taken]));
        await its.store.outbox.settle(taken?.id ?? '', outcome);
      }
      expect([...seen, ...texts(await take())]).toEqual(['one', 'two', 'three', 'four']);
      expect(await states()).toEqual(['sent', 'failed', 'unknown', 'sending']);
    });

    it('no delivery overtakes one that waits for its next attempt', async () => {
      await add('one');
      await add('two');
      await add('other', 'yard');
      const [one] = await take(1);
      await its.store.outbox.settle(one?.id ?? '', { state: 'pending', afterMs: 5_000, problem: 'busy' });
      expect(texts(await take())).toEqual(['other']);
      its.clock.now += 4_999;
      expect(await take()).toEqual([]);
      its.clock.now += 1;
      const [again] = await take();
      expect(again).toMatchObject({ id: one?.id, attempts: 2, problem: 'busy' });
    });

    it('concurrent takers never get the same delivery', async () => {
      for (let n = 0; n < 40; n += 1) await add(`${n}`, `place ${n}`);
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, n) => take(4, n % 2 === 0 ? 'north' : 'south')),
      );
      expect(new Set(taken.flat().map(({ id }) => id)).size).toBe(40);
      expect(taken.flat()).toHaveLength(40);
    });

    it('take gives only deliveries of the channel', async () => {
      await add('mail', 'hall', 'mail');
      await add('web', 'hall', 'web');
      expect(texts(await take())).toEqual(['web']);
    });

    it('a sent delivery has the id of the platform', async () => {
      await add('one');
      const [taken] = await take();
      await its.store.outbox.settle(taken?.id ?? '', { state: 'sent', platformId: 'msg-7' });
      const [sent] = await its.store.outbox.list({ state: 'sent', limit: 1 });
      expect(sent).toMatchObject({ platformId: 'msg-7', problem: undefined });
    });

    it('a platform that accepted a delivery can report later that it failed', async () => {
      const { id } = await add('hello');
      const { settle, report, get } = its.store.outbox;
      const failed = { state: 'failed', problem: 'The number is gone.' } as const;
      expect(await report(id, failed)).toBe(false);
      await take();
      await settle(id, { state: 'sent', platformId: 'msg-7' });
      expect(await report(id, { state: 'sent' })).toBe(false);
      expect(await report(id, failed)).toBe(true);
      expect(await get(id)).toMatchObject({ ...failed, platformId: 'msg-7' });
      expect(await report(id, { state: 'sent' })).toBe(false);
    });

    it('a platform can report that a delivery of unknown outcome has arrived', async () => {
      const { id } = await add('hello');
      const { settle, report, get } = its.store.outbox;
      await take();
      await settle(id, { state: 'unknown', problem: 'cut off' });
      expect(await report(id, { state: 'sent', platformId: 'msg-8' })).toBe(true);
      expect(await get(id)).toMatchObject({ state: 'sent', platformId: 'msg-8', problem: undefined });
      expect(await report('none', { state: 'sent' })).toBe(false);
    });

    it('a platform can report about a delivery before it has answered the call that sends it', async () => {
      const { settle, report, get } = its.store.outbox;
      const failed = { state: 'failed', problem: 'The number is gone.' } as const;
      const { id } = await add('hello');
      await take();
      expect(await report(id, failed)).toBe(true);
      await settle(id, { state: 'sent', platformId: 'msg-7' });
      expect(await get(id)).toMatchObject(failed);
      const { id: next } = await add('again');
      await take();
      expect(await report(next, { state: 'sent', platformId: 'msg-8' })).toBe(true);
      await settle(next, { state: 'sent', platformId: 'msg-8' });
      expect(await get(next)).toMatchObject({ state: 'sent', platformId: 'msg-8', problem: undefined });
    });

    it('an unknown delivery can be settled, and a sent or failed one cannot', async () => {
      await add('one');
      const [taken] = await take();
      const id = taken?.id ?? '';
      const { settle } = its.store.outbox;
      await settle(id, { state: 'unknown', problem: 'cut off' });
      await settle(id, { state: 'pending', afterMs: 0, problem: 'send it again' });
      expect(await take()).toHaveLength(1);
      await settle(id, { state: 'sent', platformId: 'a' });
      await settle(id, { state: 'failed', problem: 'too late' });
      await settle(id, { state: 'pending', afterMs: 0, problem: 'too late' });
      expect(await its.store.outbox.list({ limit: 9 })).toMatchObject([{ state: 'sent', platformId: 'a' }]);
      await expect(settle('nothing', { state: 'sent' })).rejects.toMatchObject({ code: 'not-found' });
    });

    it('a pending delivery is not settled', async () => {
      const { id } = await add('one');
      await its.store.outbox.settle(id, { state: 'sent' });
      expect(await states()).toEqual(['pending']);
    });

    it('an expired delivery is not taken and does not block its place', async () => {
      await add('old');
      its.clock.now += 60_000;
      await add('new');
      expect(texts(await take())).toEqual(['new']);
      expect(await its.store.outbox.expire()).toBe(1);
      expect(await its.store.outbox.expire()).toBe(0);
      expect(await states()).toEqual(['expired', 'sending']);
    });

    it('a delivery that is being sent blocks its place after it has expired', async () => {
      await add('one');
      await take();
      its.clock.now += 60_000;
      await add('two');
      expect(await its.store.outbox.expire()).toBe(0);
      expect(await take()).toEqual([]);
    });

    it('recover makes only the deliveries unknown that a dead node was sending, once', async () => {
      await add('one', 'a');
      await add('two', 'b');
      await add('three', 'c');
      await take(1, 'north');
      await take(1, 'south');
      const doubtful = await its.store.outbox.recover('north');
      expect(texts(doubtful)).toEqual(['one']);
      expect(doubtful[0]).toMatchObject({ state: 'unknown', problem: expect.stringContaining('may have') });
      expect(await its.store.outbox.recover('north')).toEqual([]);
      expect(await states()).toEqual(['unknown', 'sending', 'pending']);
    });

    it('deliveries are listed by state and by session, newest first', async () => {
      const yard = await its.store.sessions.open(place('yard'));
      await add('one');
      await its.store.outbox.add(yard.id, delivery('two', 'yard'));
      await take(1);
      await add('three');
      const { list } = its.store.outbox;
      expect(texts(await list({ limit: 2 }))).toEqual(['three', 'two']);
      expect(texts(await list({ limit: 9, state: 'sending' }))).toEqual(['one']);
      expect(texts(await list({ limit: 9, sessionId: yard.id }))).toEqual(['two']);
      expect(await list({ limit: 9, sessionId: yard.id, state: 'sending' })).toEqual([]);
    });

    it('a delivery for an unknown session is refused', async () => {
      await expect(its.store.outbox.add('nothing', delivery('x'))).rejects.toMatchObject({
        code: 'not-found',
      });
    });
  });
}
