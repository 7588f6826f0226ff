import { describe, expect, it } from 'vitest';
import { type OpenStore, useStore } from './setup.ts';

const ADA = { channel: 'chat', sender: '7', name: 'Ada', place: 'room' };
const REQUEST = { ...ADA, codeHash: 'c1', expiresInMs: 1_000, most: 3 };

export function describePeople(open: OpenStore): void {
  describe('people', () => {
    const its = useStore(open);

    it('a stranger asks once, and is paired by the code of the request', async () => {
      const { people } = its.store;
      its.clock.now = 5_000;
      expect(await people.ask(REQUEST)).toBe('asked');
      expect(await people.ask({ ...REQUEST, codeHash: 'c2' })).toBe('again');
      expect(await people.get('chat', '7')).toMatchObject({ state: 'asking', name: 'Ada', expiresAt: 6_000 });
      expect(await people.acceptCode('c2', 'operator')).toBeUndefined();
      const paired = await people.acceptCode('c1', 'operator');
      expect(paired).toEqual({
        ...ADA,
        state: 'paired',
        askedAt: 5_000,
        expiresAt: undefined,
        pairedAt: 5_000,
        pairedBy: 'operator',
      });
      expect(await people.acceptCode('c1', 'operator')).toBeUndefined();
      expect(await people.ask(REQUEST)).toBe('paired');
      expect(await people.get('other', '7')).toBeUndefined();
    });

    it('an expired request is gone, and its code is worth nothing', async () => {
      const { people } = its.store;
      await people.ask(REQUEST);
      its.clock.now += 1_000;
      expect(await people.get('chat', '7')).toBeUndefined();
      expect(await people.acceptCode('c1', 'operator')).toBeUndefined();
      expect(await people.list({ limit: 10 })).toEqual([]);
      expect(await people.ask({ ...REQUEST, codeHash: 'c2' })).toBe('asked');
    });

    it('a channel has no more open requests than it may', async () => {
      const { people } = its.store;
      for (const sender of ['1', '2', '3'])
        expect(await people.ask({ ...REQUEST, sender, codeHash: sender })).toBe('asked');
      expect(await people.ask({ ...REQUEST, sender: '4', codeHash: '4' })).toBe('full');
      expect(await people.ask({ ...REQUEST, channel: 'other', sender: '4', codeHash: '4' })).toBe('asked');
      its.clock.now += 1_000;
      expect(await people.ask({ ...REQUEST, sender: '4', codeHash: '5' })).toBe('asked');
    });

    it('lists the paired and those who ask, newest first', async () => {
      const { people } = its.store;
      await people.pair({ ...ADA, by: 'operator' });
      await people.ask({ ...REQUEST, sender: '8', codeHash: 'c8' });
      const senders = async (state?: 'asking' | 'paired'): Promise<string[]> =>
        (await people.list({ limit: 10, ...(state === undefined ? {} : { state }) })).map(
          ({ sender }) => sender,
        );
      expect(await senders()).toEqual(['8', '7']);
      expect(await senders('paired')).toEqual(['7']);
      expect(await senders('asking')).toEqual(['8']);
      expect(await people.remove('chat', '7')).toBe(true);
      expect(await people.remove('chat', '7')).toBe(false);
      expect(await senders()).toEqual(['8']);
    });

    it('pairs whoever has asked already, and the code of that request is used up', async () => {
      const { people } = its.store;
      await people.ask(REQUEST);
      await people.pair({ ...ADA, by: 'page' });
      expect(await people.get('chat', '7')).toMatchObject({ state: 'paired', pairedBy: 'page' });
      expect(await people.acceptCode('c1', 'operator')).toBeUndefined();
    });

    it('an invitation pairs the first who sends it, in its channel and before it expires', async () => {
      const { people } = its.store;
      const invitation = { channel: 'chat', codeHash: 'i1', by: 'operator', expiresInMs: 1_000 };
      await people.invite(invitation);
      expect(await people.redeem({ ...ADA, channel: 'other', codeHash: 'i1' })).toBeUndefined();
      expect(await people.redeem({ ...ADA, codeHash: 'i1' })).toMatchObject({ pairedBy: 'operator' });
      expect(await people.redeem({ ...ADA, sender: '8', codeHash: 'i1' })).toBeUndefined();
      await people.invite({ ...invitation, codeHash: 'i2' });
      its.clock.now += 1_000;
      expect(await people.redeem({ ...ADA, sender: '8', codeHash: 'i2' })).toBeUndefined();
    });

    it('a person keeps the pairing under a new id of the platform', async () => {
      const { people } = its.store;
      await people.pair({ ...ADA, by: 'operator' });
      expect(await people.renameSender('chat', '7', '70')).toBe(true);
      expect(await people.renameSender('chat', '7', '70')).toBe(false);
      expect(await people.get('chat', '70')).toMatchObject({ state: 'paired' });
      expect(await people.get('chat', '7')).toBeUndefined();
    });

    it('adds up turns and cost of a day for each principal', async () => {
      const { spend } = its.store.people;
      const day = '2026-03-01';
      const euro = (amount: number) => ({ amount, currency: 'EUR' });
      expect(await spend({ principal: 'a', day, turns: 1 })).toEqual({
        turns: 1,
        amount: 0,
        currency: undefined,
      });
      await spend({ principal: 'a', day, turns: 0, cost: euro(0.5) });
      await spend({ principal: 'b', day, turns: 4 });
      await spend({ principal: 'a', day, turns: 0, cost: { amount: 9, currency: 'USD' } });
      const sum = await spend({ principal: 'a', day, turns: 1, cost: euro(0.25) });
      expect(sum).toEqual({ turns: 2, amount: 0.75, currency: 'EUR' });
      expect(await spend({ principal: 'a', day: '2026-03-02', turns: 1 })).toMatchObject({ turns: 1 });
      expect(await spend({ principal: 'a', day, turns: 0 })).toMatchObject({ turns: 2 });
      await spend({ principal: 'a', day: '2026-03-03', turns: 0 });
      expect(await spend({ principal: 'a', day, turns: 0 })).toMatchObject({ turns: 0 });
    });

    it('survive a restart', async () => {
      await its.store.people.pair({ ...ADA, by: 'operator' });
      await its.store.people.spend({ principal: 'a', day: '2026-03-01', turns: 3 });
      const { people } = await its.reopen();
      expect(await people.get('chat', '7')).toMatchObject({ state: 'paired' });
      expect(await people.spend({ principal: 'a', day: '2026-03-01', turns: 0 })).toMatchObject({ turns: 3 });
    });
  });
}
