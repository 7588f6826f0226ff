import { describe, expect, it } from 'vitest';
import { LostClaimError } from '../../src/contract/errors.ts';
import type { Session } from '../../src/contract/records.ts';
import type { Claim } from '../../src/contract/turns.ts';
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
  takeWaiting,
  transcript,
  useStore,
} from './setup.ts';

export function describeTurns(open: OpenStore): void {
  describe('turns', () => {
    const its = useStore(open);

    it('agents lists the agents that had a turn in a session', async () => {
      const session = await its.store.sessions.open(place('hall'));
      expect(await its.store.turns.agents(session.id)).toEqual([]);
      for (const agent of ['other', 'echo', 'other']) {
        await its.store.sessions.chooseAgent(session.id, agent);
        await say(its.store, session, 'hi');
        const claim = await claimOne(its.store);
        await its.store.turns.record(claim, { events: [], end: success(''), deliveries: [] });
      }
      expect([...(await its.store.turns.agents(session.id))].sort()).toEqual(['echo', 'other']);
      expect(await its.store.turns.agents('nowhere')).toEqual([]);
    });

    it('turns of a session begin one at a time with its oldest message', async () => {
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

    it('turns alternate between principals, however many messages one has waiting', async () => {
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

    it('turns alternate between the places of one principal', async () => {
      const sessions = new Map<string, Session>();
      for (const name of ['a', 'b']) sessions.set(name, await its.store.sessions.open(place(name)));
      for (const name of ['a', 'a', 'a', 'b', 'b']) await say(its.store, sessions.get(name) as Session, name);
      const order: string[] = [];
      for (let turn = 0; turn < 5; turn += 1) {
        const [claim] = await its.store.turns.claim({ ...HOLDER, limit: 1 });
        if (claim === undefined) throw new Error('Nothing could be claimed.');
        order.push(claim.session.place);
        await its.store.turns.record(claim, { events: [], end: success(''), deliveries: [] });
      }
      expect(order.join('')).toBe('ababa');
    });

    it('sessions are claimed in the order in which they have waited', async () => {
      const sessions = new Map<string, Session>();
      for (const name of ['a', 'b', 'c', 'd']) sessions.set(name, await its.store.sessions.open(place(name)));
      for (const name of ['c', 'a', 'c', 'd', 'b']) await say(its.store, sessions.get(name) as Session, name);
      const first = await its.store.turns.claim({ ...HOLDER, limit: 3 });
      expect(first.map(({ session }) => session.place)).toEqual(['c', 'a', 'd']);
      const c = first[0] as Claim;
      await its.store.turns.record(c, { events: [], end: success(''), deliveries: [] });
      const second = await its.store.turns.claim(HOLDER);
      // The second message of c came before that of b; but c has just had a turn.
      expect(second.map(({ session }) => session.place)).toEqual(['b', 'c']);
    });

    it('sessions of an agent in except are not claimed', async () => {
      for (const agent of ['busy', 'free']) {
        await say(its.store, await its.store.sessions.open({ ...place(agent), agent }), 'hello');
      }
      const free = await its.store.turns.claim({ ...HOLDER, except: ['busy'] });
      expect(free.map(({ session }) => session.agent)).toEqual(['free']);
      const busy = await its.store.turns.claim(HOLDER);
      expect(busy.map(({ session }) => session.agent)).toEqual(['busy']);
    });

    it('concurrent claims never get the same session', async () => {
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

    it('a claim that is called in the same tick as admit gets the message', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const admitted = say(its.store, session, 'hello');
      const claims = its.store.turns.claim(HOLDER);
      expect((await claims).map(({ message }) => message?.text)).toEqual(['hello']);
      await admitted;
    });

    it('events of a turn are numbered without a gap', async () => {
      const claim = await claimed(its.store);
      expect(await its.store.turns.record(claim, { events: [message('one'), message('two')] })).toMatchObject(
        {
          first: 2,
        },
      );
      await say(its.store, claim.session, 'wait');
      expect(await its.store.turns.record(claim, { events: [] })).toMatchObject({ first: 5 });
      expect(
        await its.store.turns.record(claim, { events: [{ type: 'progress', text: 'busy' }] }),
      ).toMatchObject({
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

    it('records of a turn keep their order without waiting for each other', async () => {
      const claim = await claimed(its.store);
      const appended = await Promise.all(
        Array.from({ length: 50 }, (_, n) => its.store.turns.record(claim, { events: [message(`${n}`)] })),
      );
      const numbers = appended.map(({ first }) => first);
      expect(numbers).toEqual(Array.from({ length: 50 }, (_, n) => n + 2));
      const said = await its.store.log.read(claim.session.id, { after: 1, limit: 99 });
      expect(said.map(({ event }) => 'text' in event && event.text)).toEqual(numbers.map((n) => `${n - 2}`));
    });

    it('a running turn can add a delivery', async () => {
      const claim = await claimed(its.store);
      await its.store.turns.record(claim, { events: [message('one')], deliveries: [delivery('one')] });
      expect(await its.store.outbox.list({ limit: 9 })).toMatchObject([
        { turnId: claim.turn.id, sessionId: claim.session.id, body: { text: 'one' }, state: 'pending' },
      ]);
    });

    it('a turn ends with its last events, its end and its deliveries', async () => {
      const claim = await claimed(its.store);
      its.clock.now += 500;
      const end = { ...success('bye'), usage: { tokens: 3 } };
      await its.store.turns.record(claim, {
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

    it.each(['success', 'error', 'cancelled', 'timeout'] as const)(
      'a turn can end in %s',
      async (outcome) => {
        const claim = await claimed(its.store);
        await its.store.turns.record(claim, {
          events: [],
          end: { type: 'end', outcome, text: '' },
          deliveries: [],
        });
        expect(await its.store.turns.get(claim.turn.id)).toMatchObject({ state: outcome });
      },
    );

    it('the next message is claimed after a turn has ended', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const said: (string | undefined)[] = [];
      for (const text of ['one', 'two', 'three']) await say(its.store, session, text);
      for (let n = 0; n < 3; n += 1) {
        const claim = await claimOne(its.store);
        said.push(claim.message?.text);
        expect(claim.fence).toBe(n + 1);
        await its.store.turns.record(claim, { events: [], end: success(''), deliveries: [] });
      }
      expect(said).toEqual(['one', 'two', 'three']);
      expect(await its.store.sessions.get(session.id)).toMatchObject({ waiting: 0, running: false });
    });

    it('a record whose end cannot be written writes nothing', async () => {
      const claim = await claimed(its.store);
      const bad = { ...delivery('x'), expiresInMs: Number.NaN };
      const result = { events: [message('bye')], end: success('bye'), deliveries: [delivery('y'), bad] };
      await expect(its.store.turns.record(claim, result)).rejects.toThrow();
      expect(await transcript(its.store, claim.session.id)).toEqual(['1 user: hello']);
      expect(await its.store.outbox.list({ limit: 9 })).toEqual([]);
      expect(await its.store.turns.get(claim.turn.id)).toMatchObject({ state: 'running' });
    });

    it('a record for an ended turn is refused', async () => {
      const claim = await claimed(its.store);
      const result = { events: [], end: success(''), deliveries: [delivery('bye')] };
      await its.store.turns.record(claim, result);
      await expect(its.store.turns.record(claim, result)).rejects.toThrow(LostClaimError);
      await expect(its.store.turns.record(claim, { events: [message('x')] })).rejects.toThrow(LostClaimError);
      await expect(takeWaiting(its.store, claim)).rejects.toThrow(LostClaimError);
      expect(await its.store.turns.renew([claim], 1_000)).toEqual([claim.session.id]);
      expect(await its.store.outbox.list({ limit: 9 })).toHaveLength(1);
    });

    it('takeWaiting takes the waiting messages in order', async () => {
      const claim = await claimed(its.store);
      for (const text of ['two', 'three']) await say(its.store, claim.session, text);
      const taken = await takeWaiting(its.store, claim);
      expect(taken.map(({ text }) => text)).toEqual(['two', 'three']);
      expect(await takeWaiting(its.store, claim)).toEqual([]);
      await its.store.turns.record(claim, { events: [], end: success(''), deliveries: [] });
      expect(await its.store.turns.claim(HOLDER)).toEqual([]);
    });

    it('messages and their events have the turn that took them until they are returned', async () => {
      const claim = await claimed(its.store);
      const takers = async (): Promise<(string | undefined)[]> =>
        (await its.store.log.read(claim.session.id, { after: 0, limit: 9 })).map(({ turnId }) => turnId);
      const { id } = claim.turn;
      await say(its.store, claim.session, 'two');
      expect(await takers()).toEqual([id, undefined]);
      expect(await takeWaiting(its.store, claim)).toMatchObject([{ text: 'two', turnId: id }]);
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
      await takeWaiting(its.store, claim);
      expect(await its.store.inbox.admit(again)).toMatchObject({ duplicate: true, message: { turnId: id } });
      const returned = [claim.message?.id ?? '', id].slice(0, 1);
      await its.store.turns.record(claim, { returned });
      expect((await takers())[0]).toBeUndefined();
    });

    it('a claim can be released before its turn has an event, as if it had not been made', async () => {
      const claim = await claimed(its.store);
      await say(its.store, claim.session, 'two');
      await takeWaiting(its.store, claim);
      const before = await its.store.sessions.get(claim.session.id);
      await its.store.turns.record(claim, { release: true });
      expect(await its.store.sessions.get(claim.session.id)).toEqual({
        ...before,
        node: undefined,
        running: false,
        waiting: 2,
      });
      expect(await its.store.turns.get(claim.turn.id)).toBeUndefined();
      const again = await claimOne(its.store);
      expect([again.message?.text, again.fence]).toEqual(['hello', claim.fence + 1]);
      await its.store.turns.record(again, { events: [message('hi')] });
      await expect(its.store.turns.record(again, { release: true })).rejects.toMatchObject({ code: 'begun' });
    });

    it('messages can be returned in the call that ends the turn', async () => {
      const claim = await claimed(its.store);
      for (const text of ['two', 'three']) await say(its.store, claim.session, text);
      const [two] = await takeWaiting(its.store, claim);
      await its.store.turns.record(claim, { returned: [two?.id ?? '', 'nothing'], end: success('') });
      expect((await claimOne(its.store)).message?.text).toBe('two');
      expect(await its.store.sessions.get(claim.session.id)).toMatchObject({ waiting: 0 });
    });

    it('next begins a turn of the agent in the call that ends a turn', async () => {
      const claim = await claimed(its.store);
      await say(its.store, claim.session, 'later');
      const { next } = await its.store.turns.record(claim, { end: success('done'), next: HOLDER });
      expect(next).toMatchObject({ message: undefined, fence: claim.fence + 1, turn: { state: 'running' } });
      expect(await its.store.turns.claim(HOLDER)).toEqual([]);
      await expect(its.store.turns.record(claim, { events: [message('x')] })).rejects.toThrow(LostClaimError);
      if (next !== undefined) await its.store.turns.record(next, { end: success('') });
      expect((await claimOne(its.store)).message?.text).toBe('later');
    });

    it('record stores the agentSession', async () => {
      const claim = await claimed(its.store);
      await its.store.turns.record(claim, { agentSession: 'agent-7', events: [message('hi')] });
      expect(await its.store.sessions.get(claim.session.id)).toMatchObject({ agentSession: 'agent-7' });
    });

    it('claimOwn needs a session that is neither running nor closed', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const claim = await its.store.turns.claimOwn(session.id, HOLDER);
      expect(claim).toMatchObject({ message: undefined, turn: { messageId: undefined, state: 'running' } });
      expect(await its.store.turns.claimOwn(session.id, HOLDER)).toBeUndefined();
      await say(its.store, session, 'hello');
      expect(await its.store.turns.claim(HOLDER)).toEqual([]);
      if (claim !== undefined)
        await its.store.turns.record(claim, { events: [], end: success(''), deliveries: [] });
      expect((await claimOne(its.store)).message?.text).toBe('hello');
      const closed = await its.store.sessions.open(place('yard'));
      await its.store.sessions.close(closed.id);
      expect(await its.store.turns.claimOwn(closed.id, HOLDER)).toBeUndefined();
      expect(await its.store.turns.claimOwn('nothing', HOLDER)).toBeUndefined();
    });

    it('a lease that is kept after a turn keeps other nodes from the session, and not its own', async () => {
      const { turns } = its.store;
      const south = { ...HOLDER, node: 'south' };
      const claim = await claimed(its.store);
      await turns.record(claim, { end: success('hi'), keepsLease: true });
      expect(await its.store.sessions.get(claim.session.id)).toMatchObject({ running: false });
      await say(its.store, claim.session, 'again');
      expect(await turns.claim(south)).toEqual([]);
      expect(await turns.claimOwn(claim.session.id, south)).toBeUndefined();
      const next = await claimOne(its.store);
      expect(next).toMatchObject({ fence: claim.fence + 1, message: { text: 'again' } });
      await turns.record(next, { end: success('again') });
      await say(its.store, claim.session, 'more');
      expect(await turns.claim(south)).toHaveLength(1);
    });

    it('a lease that is kept ends by release, and by its time', async () => {
      const { turns } = its.store;
      const south = { ...HOLDER, node: 'south' };
      const [released, expired, renewed] = await Promise.all(
        ['a', 'b', 'c'].map((name) => its.store.sessions.open(place(name))),
      );
      for (const session of [released, expired, renewed]) if (session) await say(its.store, session, 'hi');
      const claims = await turns.claim(HOLDER);
      for (const claim of claims) await turns.record(claim, { end: success(''), keepsLease: true });
      const leaseOf = (id: string | undefined) => claims.filter(({ session }) => session.id === id);
      for (const lease of leaseOf(released?.id)) await turns.release(lease);
      for (const session of [released, expired, renewed]) if (session) await say(its.store, session, 'more');
      expect((await turns.claim(south)).map(({ session }) => session.id)).toEqual([released?.id]);
      its.clock.now += HOLDER.leaseMs - 1;
      expect(await turns.renew(leaseOf(renewed?.id), HOLDER.leaseMs)).toEqual([]);
      its.clock.now += 1;
      expect((await turns.claim(south)).map(({ session }) => session.id)).toEqual([expired?.id]);
      expect(await turns.renew(claims, HOLDER.leaseMs)).toEqual([released?.id, expired?.id]);
    });

    it('a lease without a turn keeps other nodes from the session, and is refused while one of them has it', async () => {
      const { turns, sessions } = its.store;
      const south = { ...HOLDER, node: 'south' };
      const { id } = await sessions.open(place('hall'));
      const lease = await turns.lease(id, HOLDER);
      expect(lease).toMatchObject({ fence: 1, session: { id, running: false, node: 'north' } });
      expect(await turns.lease(id, south)).toBeUndefined();
      if (lease !== undefined) await say(its.store, lease.session, 'hi');
      expect(await turns.claim(south)).toEqual([]);
      const claim = await claimOne(its.store);
      expect(await turns.lease(id, HOLDER)).toBeUndefined();
      await turns.record(claim, { end: success('') });
      expect((await sessions.get(id))?.node).toBeUndefined();
      expect(await turns.lease(id, south)).toMatchObject({ session: { node: 'south' } });
      await sessions.close(id);
      expect(await turns.lease(id, south)).toBeUndefined();
      expect(await turns.lease('nothing', south)).toBeUndefined();
    });

    it('leases that a dead node kept are freed by recovery, and those of other nodes are not', async () => {
      const { turns, sessions } = its.store;
      const south = { ...HOLDER, node: 'south' };
      const [mine, theirs] = await Promise.all(['a', 'b'].map((name) => sessions.open(place(name))));
      await turns.lease(mine?.id ?? '', HOLDER);
      await turns.lease(theirs?.id ?? '', south);
      await turns.recover({ notice: () => undefined });
      expect(await turns.lease(mine?.id ?? '', south)).toBeUndefined();
      await turns.recover({ node: 'north', notice: () => undefined });
      expect(await turns.lease(mine?.id ?? '', south)).toMatchObject({ session: { node: 'south' } });
      expect(await turns.lease(theirs?.id ?? '', HOLDER)).toBeUndefined();
    });

    it('a lease that was lost cannot be released', async () => {
      const { turns } = its.store;
      const claim = await claimed(its.store);
      await turns.record(claim, { end: success(''), keepsLease: true });
      const next = await turns.claimOwn(claim.session.id, HOLDER);
      await turns.release(claim);
      expect(await turns.renew(next === undefined ? [] : [next], HOLDER.leaseMs)).toEqual([]);
      if (next !== undefined) await turns.record(next, { end: success('') });
    });

    it('turns are listed newest first, each on one page, though they began in one millisecond', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const ids: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        const claim = await its.store.turns.claimOwn(session.id, HOLDER);
        if (claim === undefined) continue;
        ids.unshift(claim.turn.id);
        await its.store.turns.record(claim, { events: [], end: success(''), deliveries: [] });
      }
      const first = await its.store.turns.list(session.id, { limit: 2 });
      const before = first[1]?.id ?? '';
      const rest = await its.store.turns.list(session.id, { limit: 9, before });
      expect([...first, ...rest].map(({ id }) => id)).toEqual(ids);
      await expect(its.store.turns.list(session.id, { limit: 9, before: 'nothing' })).rejects.toMatchObject({
        code: 'not-found',
      });
    });

    it('backlog counts waiting messages and running turns, with the age of the oldest message', async () => {
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
