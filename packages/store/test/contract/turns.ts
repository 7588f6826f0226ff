import { describe, expect, it } from 'vitest';
import { type Claim, LostClaimError, type Session } from '../../src/index.ts';
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

export function describeTurns(open: OpenStore): void {
  describe('turns', () => {
    const its = useStore(open);

    it('tell which agents have had one in a session', async () => {
      const session = await its.store.sessions.open(place('hall'));
      expect(await its.store.turns.agents(session.id)).toEqual([]);
      for (const agent of ['other', 'echo', 'other']) {
        await its.store.sessions.chooseAgent(session.id, agent);
        await say(its.store, session, 'hi');
        const claim = await claimOne(its.store);
        await its.store.turns.complete(claim, { events: [], end: success(''), deliveries: [] });
      }
      expect([...(await its.store.turns.agents(session.id))].sort()).toEqual(['echo', 'other']);
      expect(await its.store.turns.agents('nowhere')).toEqual([]);
    });

    it('begin with the oldest message of a session, one at a time', async () => {
      const session = await its.store.sessions.open(place('hall'));
      await say(its.store, session, 'one');
      await say(its.store, session, 'two');
      its.clock.now = 9_000;
      const claim = await claimOne(its.store);
      expect(claim.message?.text).toBe('one');
      expect(claim.turn).toEqual({
        id: claim.turn.id,
        sessionId: session.id,
        agent: 'echo',
        messageId: claim.message?.id,
        state: 'running',
        startedAt: 9_000,
        endedAt: undefined,
        end: undefined,
      });
      expect(claim.session).toMatchObject({ id: session.id, running: true, waiting: 1 });
      expect(await its.store.turns.claim(HOLDER)).toEqual([]);
    });

    it('alternate between principals, however many messages one of them has waiting', async () => {
      const admit = async (principal: string, name: string): Promise<void> => {
        const { id: sessionId } = await its.store.sessions.open(place(name));
        const source = `${principal}:${name}:${Math.random()}`;
        await its.store.inbox.admit({
          source,
          sessionId,
          text: name,
          attachments: [],
          sender: 'x',
          principal,
        });
      };
      for (let number = 1; number <= 20; number += 1) await admit('flood', `flood ${number}`);
      await admit('ada', 'ada 1');
      await admit('ada', 'ada 2');
      await admit('bob', 'bob 1');
      const next = await its.store.turns.claim({ ...HOLDER, limit: 6 });
      expect(next.map(({ session }) => session.place)).toEqual([
        'flood 1',
        'ada 1',
        'bob 1',
        'flood 2',
        'ada 2',
        'flood 3',
      ]);
      expect(await its.store.turns.backlog('flood')).toMatchObject({ waiting: 17, own: 17, running: 6 });
      expect(await its.store.turns.backlog('ada')).toMatchObject({ waiting: 17, own: 0 });
    });

    it('alternate between the places of one principal', async () => {
      const sessions = new Map<string, Session>();
      for (const name of ['a', 'b']) sessions.set(name, await its.store.sessions.open(place(name)));
      for (const name of ['a', 'a', 'a', 'b', 'b']) await say(its.store, sessions.get(name) as Session, name);
      const order: string[] = [];
      for (let turn = 0; turn < 5; turn += 1) {
        const [claim] = await its.store.turns.claim({ ...HOLDER, limit: 1 });
        if (claim === undefined) throw new Error('Nothing could be claimed.');
        order.push(claim.session.place);
        await its.store.turns.complete(claim, { events: [], end: success(''), deliveries: [] });
      }
      expect(order.join('')).toBe('ababa');
    });

    it('are claimed in the order in which sessions have waited', async () => {
      const sessions = new Map<string, Session>();
      for (const name of ['a', 'b', 'c', 'd']) sessions.set(name, await its.store.sessions.open(place(name)));
      for (const name of ['c', 'a', 'c', 'd', 'b']) await say(its.store, sessions.get(name) as Session, name);
      const first = await its.store.turns.claim({ ...HOLDER, limit: 3 });
      expect(first.map(({ session }) => session.place)).toEqual(['c', 'a', 'd']);
      const c = first[0] as Claim;
      await its.store.turns.complete(c, { events: [], end: success(''), deliveries: [] });
      const second = await its.store.turns.claim(HOLDER);
      // The second message of c came before that of b; but c has just had a turn.
      expect(second.map(({ session }) => session.place)).toEqual(['b', 'c']);
    });

    it('of agents that have enough to do go on waiting', async () => {
      for (const agent of ['busy', 'free']) {
        await say(its.store, await its.store.sessions.open({ ...place(agent), agent }), 'hello');
      }
      const free = await its.store.turns.claim({ ...HOLDER, except: ['busy'] });
      expect(free.map(({ session }) => session.agent)).toEqual(['free']);
      const busy = await its.store.turns.claim(HOLDER);
      expect(busy.map(({ session }) => session.agent)).toEqual(['busy']);
    });

    it('are never claimed by two', async () => {
      for (let n = 0; n < 60; n += 1)
        await say(its.store, await its.store.sessions.open(place(`p${n}`)), 'hello');
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          its.store.turns.claim({ ...HOLDER, node: n % 2 === 0 ? 'north' : 'south', limit: 5 }),
        ),
      );
      const ids = claims.flat().map(({ session }) => session.id);
      expect(ids).toHaveLength(60);
      expect(new Set(ids).size).toBe(60);
    });

    it('say things that are numbered without a gap', async () => {
      const claim = await claimed(its.store);
      expect(await its.store.turns.append(claim, [message('one'), message('two')])).toMatchObject({
        first: 2,
      });
      await say(its.store, claim.session, 'wait');
      expect(await its.store.turns.append(claim, [])).toMatchObject({ first: 5 });
      expect(await its.store.turns.append(claim, [{ type: 'progress', text: 'busy' }])).toMatchObject({
        first: 5,
      });
      expect(await transcript(its.store, claim.session.id)).toEqual([
        '1 user: hello',
        '2 message: one',
        '3 message: two',
        '4 user: wait',
        '5 progress: busy',
      ]);
      expect(await its.store.sessions.get(claim.session.id)).toMatchObject({ lastEvent: 5 });
    });

    it('keep the order in which things were said, though nobody waits', async () => {
      const claim = await claimed(its.store);
      const appended = await Promise.all(
        Array.from({ length: 50 }, (_, n) => its.store.turns.append(claim, [message(`${n}`)])),
      );
      const numbers = appended.map(({ first }) => first);
      expect(numbers).toEqual(Array.from({ length: 50 }, (_, n) => n + 2));
      const said = await its.store.log.read(claim.session.id, { after: 1, limit: 99 });
      expect(said.map(({ event }) => 'text' in event && event.text)).toEqual(numbers.map((n) => `${n - 2}`));
    });

    it('can have something delivered before they end', async () => {
      const claim = await claimed(its.store);
      await its.store.turns.append(claim, [message('one')], [delivery('one')]);
      expect(await its.store.outbox.list({ limit: 9 })).toMatchObject([
        { turnId: claim.turn.id, sessionId: claim.session.id, body: { text: 'one' }, state: 'pending' },
      ]);
    });

    it('end with their last events, an end and what is to be delivered', async () => {
      const claim = await claimed(its.store);
      its.clock.now += 500;
      const end = { ...success('bye'), usage: { tokens: 3 } };
      await its.store.turns.complete(claim, {
        events: [message('bye')],
        end,
        deliveries: [delivery('bye'), delivery('bye', 'yard')],
      });
      expect(await its.store.turns.get(claim.turn.id)).toEqual({
        ...claim.turn,
        state: 'success',
        endedAt: its.clock.now,
        end,
      });
      expect(await transcript(its.store, claim.session.id)).toEqual([
        '1 user: hello',
        '2 message: bye',
        '3 end: bye',
      ]);
      const [event] = await its.store.log.read(claim.session.id, { after: 2, limit: 1 });
      expect(event).toMatchObject({ turnId: claim.turn.id, at: its.clock.now, event: end });
      const deliveries = await its.store.outbox.list({ sessionId: claim.session.id, limit: 9 });
      expect(deliveries.map(({ place: to, turnId, state }) => ({ to, turnId, state }))).toEqual([
        { to: 'yard', turnId: claim.turn.id, state: 'pending' },
        { to: 'hall', turnId: claim.turn.id, state: 'pending' },
      ]);
    });

    it.each(['success', 'error', 'cancelled', 'timeout'] as const)('can end in %s', async (outcome) => {
      const claim = await claimed(its.store);
      await its.store.turns.complete(claim, {
        events: [],
        end: { type: 'end', outcome, text: '' },
        deliveries: [],
      });
      expect(await its.store.turns.get(claim.turn.id)).toMatchObject({ state: outcome });
    });

    it('make room for the next message when they end', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const said: (string | undefined)[] = [];
      for (const text of ['one', 'two', 'three']) await say(its.store, session, text);
      for (let n = 0; n < 3; n += 1) {
        const claim = await claimOne(its.store);
        said.push(claim.message?.text);
        expect(claim.fence).toBe(n + 1);
        await its.store.turns.complete(claim, { events: [], end: success(''), deliveries: [] });
      }
      expect(said).toEqual(['one', 'two', 'three']);
      expect(await its.store.sessions.get(session.id)).toMatchObject({ waiting: 0, running: false });
    });

    it('write nothing at all when their end cannot be written', async () => {
      const claim = await claimed(its.store);
      const bad = { ...delivery('x'), expiresInMs: Number.NaN };
      const result = { events: [message('bye')], end: success('bye'), deliveries: [delivery('y'), bad] };
      await expect(its.store.turns.complete(claim, result)).rejects.toThrow();
      expect(await transcript(its.store, claim.session.id)).toEqual(['1 user: hello']);
      expect(await its.store.outbox.list({ limit: 9 })).toEqual([]);
      expect(await its.store.turns.get(claim.turn.id)).toMatchObject({ state: 'running' });
    });

    it('that have ended are written to no more', async () => {
      const claim = await claimed(its.store);
      const result = { events: [], end: success(''), deliveries: [delivery('bye')] };
      await its.store.turns.complete(claim, result);
      await expect(its.store.turns.complete(claim, result)).rejects.toThrow(LostClaimError);
      await expect(its.store.turns.append(claim, [message('x')])).rejects.toThrow(LostClaimError);
      await expect(its.store.turns.takeWaiting(claim)).rejects.toThrow(LostClaimError);
      await expect(its.store.turns.release(claim)).rejects.toThrow(LostClaimError);
      expect(await its.store.turns.renew([claim], 1_000)).toEqual([claim.session.id]);
      expect(await its.store.outbox.list({ limit: 9 })).toHaveLength(1);
    });

    it('take in the messages that wait, in order', async () => {
      const claim = await claimed(its.store);
      for (const text of ['two', 'three']) await say(its.store, claim.session, text);
      const taken = await its.store.turns.takeWaiting(claim);
      expect(taken.map(({ text }) => text)).toEqual(['two', 'three']);
      expect(await its.store.turns.takeWaiting(claim)).toEqual([]);
      await its.store.turns.complete(claim, { events: [], end: success(''), deliveries: [] });
      expect(await its.store.turns.claim(HOLDER)).toEqual([]);
    });

    it('have the messages that they took, in the log, too, until they are given back', async () => {
      const claim = await claimed(its.store);
      const takers = async (): Promise<(string | undefined)[]> =>
        (await its.store.log.read(claim.session.id, { after: 0, limit: 9 })).map(({ turnId }) => turnId);
      const { id } = claim.turn;
      await say(its.store, claim.session, 'two');
      expect(await takers()).toEqual([id, undefined]);
      expect(await its.store.turns.takeWaiting(claim)).toMatchObject([{ text: 'two', turnId: id }]);
      await its.store.log.note(claim.session.id, { id: 'n', event: { type: 'notice', text: 'x' } });
      await say(its.store, claim.session, 'three');
      expect(await takers()).toEqual([id, id, undefined, undefined]);
      const again = {
        source: 'web:again',
        sessionId: claim.session.id,
        text: 'y',
        attachments: [],
        sender: 'a',
      };
      await its.store.inbox.admit(again);
      await its.store.turns.takeWaiting(claim);
      expect(await its.store.inbox.admit(again)).toMatchObject({ duplicate: true, message: { turnId: id } });
      await its.store.turns.release(claim);
      expect(await takers()).toEqual([undefined, undefined, undefined, undefined, undefined]);
    });

    it('can be given back, as if they had not been claimed', async () => {
      const other = await its.store.sessions.open(place('yard'));
      const claim = await claimed(its.store);
      await say(its.store, other, 'later');
      await say(its.store, claim.session, 'two');
      await its.store.turns.takeWaiting(claim);
      const before = await its.store.sessions.get(claim.session.id);
      its.clock.now += 1_000;
      await its.store.turns.release(claim);
      expect(await its.store.sessions.get(claim.session.id)).toEqual({
        ...before,
        running: false,
        waiting: 2,
      });
      expect(await its.store.turns.get(claim.turn.id)).toBeUndefined();
      expect(await its.store.turns.list(claim.session.id, { limit: 9 })).toEqual([]);
      const again = await its.store.turns.claim(HOLDER);
      expect(again.map((next) => next.message?.text)).toEqual(['hello', 'later']);
      expect(again[0]?.fence).toBe(claim.fence + 1);
    });

    it('cannot be given back when they have said something', async () => {
      const claim = await claimed(its.store);
      await its.store.turns.append(claim, [message('hi')]);
      await expect(its.store.turns.release(claim)).rejects.toMatchObject({ code: 'begun' });
      expect(await its.store.turns.get(claim.turn.id)).toMatchObject({ state: 'running' });
    });

    it('that nobody asked for need a session that is free', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const claim = await its.store.turns.claimUnasked(session.id, HOLDER);
      expect(claim).toMatchObject({ message: undefined, turn: { messageId: undefined, state: 'running' } });
      expect(await its.store.turns.claimUnasked(session.id, HOLDER)).toBeUndefined();
      await say(its.store, session, 'hello');
      expect(await its.store.turns.claim(HOLDER)).toEqual([]);
      if (claim !== undefined)
        await its.store.turns.complete(claim, { events: [], end: success(''), deliveries: [] });
      expect((await claimOne(its.store)).message?.text).toBe('hello');
      const closed = await its.store.sessions.open(place('yard'));
      await its.store.sessions.close(closed.id);
      expect(await its.store.turns.claimUnasked(closed.id, HOLDER)).toBeUndefined();
      expect(await its.store.turns.claimUnasked('nothing', HOLDER)).toBeUndefined();
    });

    it('are listed newest first, each on one page, though they began in the same instant', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const ids: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        const claim = await its.store.turns.claimUnasked(session.id, HOLDER);
        if (claim === undefined) continue;
        ids.unshift(claim.turn.id);
        await its.store.turns.complete(claim, { events: [], end: success(''), deliveries: [] });
      }
      const first = await its.store.turns.list(session.id, { limit: 2 });
      const before = first[1]?.id ?? '';
      const rest = await its.store.turns.list(session.id, { limit: 9, before });
      expect([...first, ...rest].map(({ id }) => id)).toEqual(ids);
      await expect(its.store.turns.list(session.id, { limit: 9, before: 'nothing' })).rejects.toMatchObject({
        code: 'not-found',
      });
    });

    it('that wait and run are counted, with the age of what waits longest', async () => {
      expect(await its.store.turns.backlog()).toEqual({ waiting: 0, own: 0, running: 0, oldestMs: 0 });
      await claimed(its.store);
      const yard = await its.store.sessions.open(place('yard'));
      its.clock.now += 1_000;
      await say(its.store, yard, 'one');
      its.clock.now += 1_000;
      await say(its.store, yard, 'two');
      its.clock.now += 500;
      expect(await its.store.turns.backlog()).toEqual({ waiting: 2, own: 2, running: 1, oldestMs: 1_500 });
    });
  });
}
