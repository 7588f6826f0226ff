import { describe, expect, it } from 'vitest';
import { LostClaimError, type Session, type StoredTurn } from '../../src/index.ts';
import {
  claimed,
  claimOne,
  delivery,
  HOLDER,
  message,
  type OpenStore,
  place,
  say,
  success,
  transcript,
  useStore,
} from './setup.ts';

const nobody = { notice: () => undefined };

export function describeRecovery(open: OpenStore): void {
  describe('recovery', () => {
    const its = useStore(open);

    it('leaves turns alone whose lease lasts', async () => {
      const claim = await claimed(its.store);
      its.clock.now += HOLDER.leaseMs - 1;
      expect(await its.store.turns.recover(nobody)).toEqual([]);
      expect(await its.store.turns.recover({ ...nobody, node: 'south' })).toEqual([]);
      expect(await its.store.turns.append(claim, [message('still here')])).toMatchObject({ first: 2 });
    });

    it('ends a turn whose lease is over, keeps what it said, and frees the session', async () => {
      const claim = await claimed(its.store);
      await say(its.store, claim.session, 'next');
      await its.store.turns.append(claim, [
        message('first'),
        message('last'),
        { type: 'progress', text: '…' },
      ]);
      its.clock.now += HOLDER.leaseMs;
      const [turn, ...others] = await its.store.turns.recover(nobody);
      expect(others).toEqual([]);
      expect(turn).toEqual({
        ...claim.turn,
        state: 'interrupted',
        endedAt: its.clock.now,
        end: {
          type: 'end',
          outcome: 'cancelled',
          text: 'last',
          error: { message: expect.stringContaining('interrupted'), code: 'interrupted' },
        },
      });
      expect(await its.store.turns.get(claim.turn.id)).toEqual(turn);
      expect((await transcript(its.store, claim.session.id)).slice(2)).toEqual([
        '3 message: first',
        '4 message: last',
        '5 progress: …',
        '6 end: last',
      ]);
      const next = await claimOne(its.store);
      expect(next).toMatchObject({ message: { text: 'next' }, fence: claim.fence + 1 });
    });

    it('tells people of a turn that is not asked again, and of no other', async () => {
      const claim = await claimed(its.store);
      const notice = () => delivery('I was interrupted.');
      const again = (_turn: StoredTurn, interruptions: number) => interruptions <= 1;
      const { sessionId } = claim.turn;
      its.clock.now += HOLDER.leaseMs;
      await its.store.turns.recover({ notice, again });
      expect(await its.store.outbox.list({ sessionId, limit: 5 })).toEqual([]);
      await claimOne(its.store);
      its.clock.now += HOLDER.leaseMs;
      await its.store.turns.recover({ notice, again });
      expect(await its.store.outbox.list({ sessionId, limit: 5 })).toHaveLength(1);
    });

    it('takes the last words from the turn itself, not from one before', async () => {
      const first = await claimed(its.store);
      await its.store.turns.complete(first, {
        events: [message('of the first')],
        end: success(''),
        deliveries: [],
      });
      await say(its.store, first.session, 'again');
      await claimOne(its.store);
      its.clock.now += HOLDER.leaseMs;
      const [turn] = await its.store.turns.recover(nobody);
      expect(turn?.end?.text).toBe('');
    });

    it('ends what a dead node held at once, and only that', async () => {
      const north = await claimed(its.store);
      await say(its.store, await its.store.sessions.open(place('yard')), 'hello');
      const south = await claimOne(its.store, 'south');
      const ended = await its.store.turns.recover({ ...nobody, node: 'north' });
      expect(ended.map(({ id }) => id)).toEqual([north.turn.id]);
      expect(await its.store.turns.append(south, [message('x')])).toMatchObject({ first: 2 });
    });

    it('delivers the notice once, however often and by however many it is run', async () => {
      const claim = await claimed(its.store);
      its.clock.now += HOLDER.leaseMs;
      const asked: [StoredTurn, Session][] = [];
      const notice = (turn: StoredTurn, session: Session) => {
        asked.push([turn, session]);
        return delivery('interrupted', session.place);
      };
      const runs = await Promise.all([1, 2, 3].map(() => its.store.turns.recover({ notice })));
      expect(runs.map(({ length }) => length)).toEqual([1, 0, 0]);
      expect(await its.store.turns.recover({ notice, node: 'north' })).toEqual([]);
      const deliveries = await its.store.outbox.list({ limit: 9 });
      expect(deliveries.map(({ turnId, body }) => ({ turnId, body }))).toEqual([
        { turnId: claim.turn.id, body: { text: 'interrupted' } },
      ]);
      expect(asked[0]?.[0]).toMatchObject({ id: claim.turn.id, state: 'interrupted' });
      expect(asked[0]?.[1]).toMatchObject({ id: claim.session.id, running: false });
    });

    it('ends nothing when the notice cannot be made', async () => {
      const claim = await claimed(its.store);
      its.clock.now += HOLDER.leaseMs;
      const notice = () => {
        throw new Error('no words');
      };
      await expect(its.store.turns.recover({ notice })).rejects.toThrow('no words');
      expect(await its.store.turns.get(claim.turn.id)).toMatchObject({ state: 'running' });
      expect(await its.store.turns.recover(nobody)).toHaveLength(1);
    });

    it('makes everything that the old holder still writes be refused', async () => {
      const old = await claimed(its.store);
      await say(its.store, old.session, 'next');
      its.clock.now += HOLDER.leaseMs;
      await its.store.turns.recover(nobody);
      const next = await claimOne(its.store, 'south');
      const before = await transcript(its.store, old.session.id);
      const { turns } = its.store;
      await expect(turns.append(old, [message('ghost')])).rejects.toThrow(LostClaimError);
      const result = { events: [message('ghost')], end: success('ghost'), deliveries: [delivery('ghost')] };
      await expect(turns.complete(old, result)).rejects.toThrow(LostClaimError);
      await expect(turns.takeWaiting(old)).rejects.toThrow(LostClaimError);
      await expect(turns.release(old)).rejects.toThrow(LostClaimError);
      expect(await turns.renew([old, next], 1_000)).toEqual([old.session.id]);
      expect(await transcript(its.store, old.session.id)).toEqual(before);
      expect(await its.store.outbox.list({ limit: 9 })).toEqual([]);
      expect(await turns.append(next, [message('alive')])).toMatchObject({ first: before.length + 1 });
    });

    it('refuses the running turn itself with any fence but its own', async () => {
      const claim = await claimed(its.store);
      for (const fence of [claim.fence - 1, claim.fence + 1]) {
        await expect(its.store.turns.append({ ...claim, fence }, [message('x')])).rejects.toThrow(
          LostClaimError,
        );
      }
    });

    it('refuses an old claim with the fence of a new one', async () => {
      const old = await claimed(its.store);
      await say(its.store, old.session, 'next');
      its.clock.now += HOLDER.leaseMs;
      await its.store.turns.recover(nobody);
      const { fence } = await claimOne(its.store, 'south');
      await expect(its.store.turns.append({ ...old, fence }, [message('x')])).rejects.toThrow(LostClaimError);
    });

    it('spares a holder that renews in time', async () => {
      const claim = await claimed(its.store);
      for (let n = 0; n < 5; n += 1) {
        its.clock.now += HOLDER.leaseMs - 1;
        expect(await its.store.turns.renew([claim], HOLDER.leaseMs)).toEqual([]);
        expect(await its.store.turns.recover(nobody)).toEqual([]);
      }
    });

    it('spares a holder that overslept, as long as nobody has missed it', async () => {
      const claim = await claimed(its.store);
      its.clock.now += HOLDER.leaseMs * 10;
      expect(await its.store.turns.append(claim, [message('late')])).toMatchObject({ first: 2 });
      expect(await its.store.turns.renew([claim], HOLDER.leaseMs)).toEqual([]);
      expect(await its.store.turns.recover(nobody)).toEqual([]);
    });

    it('lets a message wait once more where that is wanted, before those that came after it', async () => {
      const old = await claimed(its.store);
      await say(its.store, old.session, 'later');
      const asked: number[] = [];
      const again = (_turn: unknown, interruptions: number): boolean => asked.push(interruptions) < 3;
      for (const left of [2, 2]) {
        const turns = await its.store.turns.recover({ node: HOLDER.node, notice: () => undefined, again });
        expect(turns).toMatchObject([{ state: 'interrupted' }]);
        const next = await claimOne(its.store);
        expect(next.message?.text).toBe('hello');
        expect(next.session.waiting).toBe(left - 1);
      }
      await its.store.turns.recover({ node: HOLDER.node, notice: () => undefined, again });
      expect(asked).toEqual([1, 2, 3]);
      expect((await claimOne(its.store)).message?.text).toBe('later');
    });

    const accepted = { type: 'accepted' } as const;
    const steered = (count: number) => ({ type: 'steered', count }) as const;

    it.each([
      ['nothing was begun', [], false, ['b', 'c', 'd']],
      ['the first was begun', [accepted], false, ['b', 'c', 'd']],
      ['the first was begun', [accepted], true, ['a', 'b', 'c', 'd']],
      ['others were taken into it', [accepted, steered(2)], false, ['d']],
      ['others were taken into it', [accepted, steered(2)], true, ['a', 'b', 'c', 'd']],
      ['one was begun after it', [accepted, steered(1), accepted], false, ['d']],
      ['one was begun after it', [accepted, steered(1), accepted], true, ['c', 'd']],
      ['all were begun', [accepted, accepted, steered(2)], false, []],
    ])('when %s (%j, again: %s), %j wait again', async (_what, events, again, waiting) => {
      const session = await its.store.sessions.open(place('hall'));
      await say(its.store, session, 'a');
      const claim = await claimOne(its.store);
      for (const text of ['b', 'c', 'd']) await say(its.store, session, text);
      expect(await its.store.turns.takeWaiting(claim)).toHaveLength(3);
      await its.store.turns.append(claim, events);
      its.clock.now += HOLDER.leaseMs;
      await its.store.turns.recover({ ...nobody, again: () => again });
      expect(await its.store.sessions.get(session.id)).toMatchObject({ waiting: waiting.length });
      const left = [];
      for (let rest = waiting.length; rest > 0; rest -= 1) {
        const next = await claimOne(its.store);
        left.push(next.message?.text);
        await its.store.turns.complete(next, { events: [], end: success(''), deliveries: [] });
      }
      expect(left).toEqual(waiting);
    });

    it('asks nothing again that was let go', async () => {
      const claim = await claimed(its.store);
      await say(its.store, claim.session, 'more');
      await its.store.turns.takeWaiting(claim);
      await its.store.inbox.letGo(claim.session.id);
      its.clock.now += HOLDER.leaseMs;
      await its.store.turns.recover({ ...nobody, again: () => true });
      expect(await its.store.sessions.get(claim.session.id)).toMatchObject({ waiting: 0 });
    });

    it('does not ask again in a session that was closed', async () => {
      const old = await claimed(its.store);
      await its.store.sessions.close(old.session.id);
      await its.store.turns.recover({ node: HOLDER.node, notice: () => undefined, again: () => true });
      expect(await its.store.turns.claim(HOLDER)).toEqual([]);
    });
  });
}
