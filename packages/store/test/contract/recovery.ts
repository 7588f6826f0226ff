import { describe, expect, it } from 'vitest';
import { LostClaimError } from '../../src/contract/errors.ts';
import type { Session, StoredTurn } from '../../src/contract/records.ts';
import {
  claimed,
  claimOne,
  claimUnheard,
  delivery,
  HOLDER,
  message,
  type OpenStore,
  place,
  say,
  success,
  takeWaiting,
  transcript,
  useStore,
} from './setup.ts';

const nobody = { notice: () => undefined };

export function describeRecovery(open: OpenStore): void {
  describe('recovery', () => {
    const its = useStore(open);

    it('recover leaves turns alone whose lease lasts', async () => {
      const claim = await claimed(its.store);
      its.clock.now += HOLDER.leaseMs - 1;
      expect(await its.store.turns.recover(nobody)).toEqual([]);
      expect(await its.store.turns.recover({ ...nobody, node: 'south' })).toEqual([]);
      expect(await its.store.turns.record(claim, { events: [message('still here')] })).toMatchObject({
        first: 2,
      });
    });

    it('recover ends a turn whose lease is over, keeps its events and frees the session', async () => {
      const claim = await claimed(its.store);
      await say(its.store, claim.session, 'next');
      await its.store.turns.record(claim, {
        events: [message('first'), message('last'), { type: 'progress', text: '…' }],
      });
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

    it('recover delivers a notice only for a turn that is not asked again', async () => {
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

    it('the end of an interrupted turn has no text of an earlier turn', async () => {
      const first = await claimed(its.store);
      await its.store.turns.record(first, {
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

    it('recover ends the turns of a dead node before their lease is over, and no others', async () => {
      const north = await claimed(its.store);
      await say(its.store, await its.store.sessions.open(place('yard')), 'hello');
      const south = await claimOne(its.store, 'south');
      const ended = await its.store.turns.recover({ ...nobody, node: 'north' });
      expect(ended.map(({ id }) => id)).toEqual([north.turn.id]);
      expect(await its.store.turns.record(south, { events: [message('x')] })).toMatchObject({ first: 2 });
    });

    it('concurrent and repeated recovers deliver one notice', async () => {
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

    it('recover ends no turn when notice throws', async () => {
      const claim = await claimed(its.store);
      its.clock.now += HOLDER.leaseMs;
      const notice = () => {
        throw new Error('no words');
      };
      await expect(its.store.turns.recover({ notice })).rejects.toThrow('no words');
      expect(await its.store.turns.get(claim.turn.id)).toMatchObject({ state: 'running' });
      expect(await its.store.turns.recover(nobody)).toHaveLength(1);
    });

    it('writes of the old holder are refused after recover', async () => {
      const old = await claimed(its.store);
      await say(its.store, old.session, 'next');
      its.clock.now += HOLDER.leaseMs;
      await its.store.turns.recover(nobody);
      const next = await claimOne(its.store, 'south');
      const before = await transcript(its.store, old.session.id);
      const { turns } = its.store;
      await expect(turns.record(old, { events: [message('ghost')] })).rejects.toThrow(LostClaimError);
      const result = { events: [message('ghost')], end: success('ghost'), deliveries: [delivery('ghost')] };
      await expect(turns.record(old, result)).rejects.toThrow(LostClaimError);
      expect(await turns.renew([old, next], 1_000)).toEqual([old.session.id]);
      expect(await transcript(its.store, old.session.id)).toEqual(before);
      expect(await its.store.outbox.list({ limit: 9 })).toEqual([]);
      expect(await turns.record(next, { events: [message('alive')] })).toMatchObject({
        first: before.length + 1,
      });
    });

    it('a record with another fence than that of its claim is refused', async () => {
      const claim = await claimed(its.store);
      for (const fence of [claim.fence - 1, claim.fence + 1]) {
        await expect(its.store.turns.record({ ...claim, fence }, { events: [message('x')] })).rejects.toThrow(
          LostClaimError,
        );
      }
    });

    it('a record for an old turn with the fence of a new claim is refused', async () => {
      const old = await claimed(its.store);
      await say(its.store, old.session, 'next');
      its.clock.now += HOLDER.leaseMs;
      await its.store.turns.recover(nobody);
      const { fence } = await claimOne(its.store, 'south');
      await expect(its.store.turns.record({ ...old, fence }, { events: [message('x')] })).rejects.toThrow(
        LostClaimError,
      );
    });

    it('a holder that renews in time keeps its claim', async () => {
      const claim = await claimed(its.store);
      for (let n = 0; n < 5; n += 1) {
        its.clock.now += HOLDER.leaseMs - 1;
        expect(await its.store.turns.renew([claim], HOLDER.leaseMs)).toEqual([]);
        expect(await its.store.turns.recover(nobody)).toEqual([]);
      }
    });

    it('a holder whose lease is over keeps its claim until recover runs', async () => {
      const claim = await claimed(its.store);
      its.clock.now += HOLDER.leaseMs * 10;
      expect(await its.store.turns.record(claim, { events: [message('late')] })).toMatchObject({ first: 2 });
      expect(await its.store.turns.renew([claim], HOLDER.leaseMs)).toEqual([]);
      expect(await its.store.turns.recover(nobody)).toEqual([]);
    });

    it('again lets a message wait again before later ones', async () => {
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

    const accepted = (...inputs: string[]) => ({ type: 'accepted', inputs }) as const;
    const steered = (...inputs: string[]) => ({ type: 'steered', inputs }) as const;

    it.each([
      ['nothing was begun', [], true, ['a', 'b', 'c', 'd']],
      ['the first was begun', [accepted('a')], true, ['a', 'b', 'c', 'd']],
      ['the first was begun', [accepted('a')], false, []],
      ['others were taken into it', [accepted('a'), steered('b', 'c')], true, ['a', 'b', 'c', 'd']],
      ['one was begun after it', [accepted('a'), steered('b'), accepted('c')], true, ['c', 'd']],
      ['one was taken in before an earlier one', [accepted('a'), accepted('c')], true, ['b', 'c', 'd']],
      ['all were begun', [accepted('a'), accepted('b'), steered('c', 'd')], true, ['b', 'c', 'd']],
    ])('recover when %s (%j, again: %s): %j wait again', async (_what, events, again, waiting) => {
      const session = await its.store.sessions.open(place('hall'));
      await say(its.store, session, 'a');
      const claim = await claimOne(its.store);
      for (const text of ['b', 'c', 'd']) await say(its.store, session, text);
      const steered = await takeWaiting(its.store, claim);
      const idOf = (text: string) => [claim.message, ...steered].find((one) => one?.text === text)?.id ?? '';
      const said = events.map((event) => ({ ...event, inputs: event.inputs.map(idOf) }));
      await its.store.turns.record(claim, { events: said });
      its.clock.now += HOLDER.leaseMs;
      await its.store.turns.recover({ ...nobody, again: () => again });
      expect(await its.store.sessions.get(session.id)).toMatchObject({ waiting: waiting.length });
      const left = [];
      for (let rest = waiting.length; rest > 0; rest -= 1) {
        const next = await claimOne(its.store);
        left.push(next.message?.text);
        await its.store.turns.record(next, { events: [], end: success(''), deliveries: [] });
      }
      expect(left).toEqual(waiting);
    });

    it('a turn whose message was not given is deleted, and its message waits in its old place', async () => {
      await say(its.store, await its.store.sessions.open(place('hall')), 'hello');
      const claim = await claimUnheard(its.store);
      await say(its.store, claim.session, 'later');
      const before = await its.store.sessions.get(claim.session.id);
      its.clock.now += HOLDER.leaseMs;
      expect(await its.store.turns.recover({ notice: () => delivery('interrupted') })).toEqual([]);
      expect(await its.store.sessions.get(claim.session.id)).toEqual({
        ...before,
        node: undefined,
        running: false,
        waiting: 2,
      });
      expect(await its.store.turns.get(claim.turn.id)).toBeUndefined();
      expect(await its.store.outbox.list({ limit: 9 })).toEqual([]);
      await expect(its.store.turns.record(claim, { events: [message('x')] })).rejects.toThrow(LostClaimError);
      expect((await claimOne(its.store)).message?.text).toBe('hello');
    });

    it('abandoned messages are not asked again', async () => {
      const claim = await claimed(its.store);
      await say(its.store, claim.session, 'more');
      await takeWaiting(its.store, claim);
      await its.store.turns.record(claim, { abandoned: { takenIn: [] } });
      its.clock.now += HOLDER.leaseMs;
      await its.store.turns.recover({ ...nobody, again: () => true });
      expect(await its.store.sessions.get(claim.session.id)).toMatchObject({ waiting: 0 });
    });

    it('messages of a closed session are not asked again', async () => {
      const old = await claimed(its.store);
      await its.store.sessions.close(old.session.id);
      await its.store.turns.recover({ node: HOLDER.node, notice: () => undefined, again: () => true });
      expect(await its.store.turns.claim(HOLDER)).toEqual([]);
    });
  });
}
