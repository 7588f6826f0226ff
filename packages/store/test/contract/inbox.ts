import { describe, expect, it } from 'vitest';
import { claimOne, type OpenStore, place, say, success, takeWaiting, transcript, useStore } from './setup.ts';

export function describeInbox(open: OpenStore): void {
  describe('the inbox', () => {
    const its = useStore(open);

    it('get tells the state of a message and the turn that took it', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const { message: first } = await say(its.store, session, 'one');
      const { message: second } = await say(its.store, session, 'two');
      const stands = async (id: string) => {
        const found = await its.store.inbox.get(id);
        return found === undefined ? undefined : [found.state, found.turnId];
      };
      expect(await stands(first.id)).toEqual(['waiting', undefined]);
      const claim = await claimOne(its.store);
      expect(await stands(first.id)).toEqual(['taken', claim.turn.id]);
      await its.store.inbox.dropWaiting(session.id);
      expect(await stands(second.id)).toEqual(['dropped', undefined]);
      expect(await stands(first.id)).toEqual(['dropped', claim.turn.id]);
      expect(await stands('nothing')).toBeUndefined();
    });

    it('admit stores a message with its text, sender and attachments', async () => {
      its.clock.now = 7_000;
      const session = await its.store.sessions.open(place('hall'));
      const attachments = [{ kind: 'image', path: '/tmp/a.png', name: 'a.png' }] as const;
      const admission = await its.store.inbox.admit({
        source: 'web:1',
        sessionId: session.id,
        text: 'look',
        attachments,
        sender: 'ada',
      });
      const { message } = admission;
      expect(admission).toEqual({ message, duplicate: false, ahead: 0, rank: 0, dropped: false, number: 1 });
      expect(message).toEqual({
        id: message.id,
        sessionId: session.id,
        text: 'look',
        attachments,
        sender: 'ada',
        principal: '',
        receivedAt: 7_000,
        turnId: undefined,
      });
      expect(await its.store.log.read(session.id, { after: 0, limit: 9 })).toEqual([
        {
          sessionId: session.id,
          number: 1,
          turnId: undefined,
          at: 7_000,
          event: { type: 'user', messageId: message.id, text: 'look', sender: 'ada', attachments },
        },
      ]);
      const claim = await claimOne(its.store);
      expect(claim.message).toEqual({ ...message, turnId: claim.turn.id });
    });

    it('admit tells how many messages are ahead', async () => {
      const session = await its.store.sessions.open(place('hall'));
      expect((await say(its.store, session, 'one')).ahead).toBe(0);
      expect((await say(its.store, session, 'two')).ahead).toBe(1);
      await claimOne(its.store);
      expect((await say(its.store, session, 'three')).ahead).toBe(1);
    });

    it('a message with a known source is a duplicate with its place in the queue', async () => {
      const session = await its.store.sessions.open(place('hall'));
      await say(its.store, session, 'one');
      const first = await say(its.store, session, 'two', 'same');
      const again = await say(its.store, session, 'two', 'same');
      expect(again).toEqual({
        message: first.message,
        duplicate: true,
        ahead: 1,
        rank: 0,
        dropped: false,
        number: undefined,
      });
      expect(await its.store.sessions.get(session.id)).toMatchObject({ waiting: 2, lastEvent: 2 });
    });

    it('another message with a known source rejects with conflict', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const file = { kind: 'file', path: '/media/1.txt', url: '/api/media/1', name: 'a.txt' } as const;
      const first = { source: 's', sessionId: session.id, text: 'one\0', attachments: [file], sender: 'ada' };
      await its.store.inbox.admit(first);
      // A file that comes again is kept again, elsewhere; and whoever repeats something need not be who said it.
      const kept = [{ ...file, path: '/media/2.txt', url: '/api/media/2' }];
      const again = await its.store.inbox.admit({ ...first, attachments: kept, sender: 'bob' });
      expect(again).toMatchObject({ duplicate: true, message: { sender: 'ada', attachments: [file] } });
      const others = [
        { text: 'two' },
        { attachments: [] },
        { attachments: [file, file] },
        { attachments: [{ ...file, name: 'b.txt' }] },
      ];
      for (const other of others)
        await expect(its.store.inbox.admit({ ...first, ...other })).rejects.toMatchObject({
          code: 'conflict',
        });
      expect(await its.store.sessions.get(session.id)).toMatchObject({ waiting: 1, lastEvent: 1 });
    });

    it('dropWaiting leaves messages alone that were answered', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const { message } = await say(its.store, session, 'one');
      const claim = await claimOne(its.store);
      await its.store.turns.record(claim, { events: [], end: success(''), deliveries: [] });
      const { lastEvent } = (await its.store.sessions.get(session.id)) ?? session;
      expect(await its.store.inbox.dropWaiting(session.id)).toBe(0);
      expect(await its.store.inbox.get(message.id)).toMatchObject({ state: 'taken', turnId: claim.turn.id });
      expect(await its.store.sessions.get(session.id)).toMatchObject({ lastEvent, waiting: 0 });
    });

    it('a duplicate tells that the first was dropped before a turn took it', async () => {
      const session = await its.store.sessions.open(place('hall'));
      await say(its.store, session, 'one', 'first');
      await say(its.store, session, 'two', 'second');
      await claimOne(its.store);
      await its.store.inbox.dropWaiting(session.id);
      expect(await say(its.store, session, 'two', 'second')).toMatchObject({
        duplicate: true,
        dropped: true,
      });
      // The turn goes on, and its end tells what became of its message.
      expect(await say(its.store, session, 'one', 'first')).toMatchObject({
        duplicate: true,
        dropped: false,
      });
    });

    it('a source is known after its turn, in another session and after the session was closed', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const { message } = await say(its.store, session, 'one', 'same');
      const claim = await claimOne(its.store);
      await its.store.turns.record(claim, { events: [], end: success(''), deliveries: [] });
      await its.store.sessions.close(session.id);
      for (const later of [session, await its.store.sessions.open(place('hall'))]) {
        const again = await say(its.store, later, 'one', 'same');
        const taken = { ...message, turnId: claim.turn.id };
        expect(again).toMatchObject({ message: taken, duplicate: true, ahead: 0, dropped: false });
      }
      expect(await its.store.turns.claim({ node: 'n', leaseMs: 1, limit: 9 })).toEqual([]);
    });

    it('each of 200 concurrent and repeated messages is admitted once', async () => {
      const sessions = await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) => its.store.sessions.open(place(name))),
      );
      const sent = Array.from({ length: 200 }, (_, n) => n % 80);
      const admissions = await Promise.all(
        sent.map((n) => {
          const session = sessions[n % 4];
          if (session === undefined) throw new Error('four sessions');
          return say(its.store, session, `text ${n}`, `source ${n}`);
        }),
      );
      expect(admissions.filter(({ duplicate }) => !duplicate)).toHaveLength(80);
      expect(new Set(admissions.map(({ message }) => message.id)).size).toBe(80);
      for (const [index, { id }] of sessions.entries()) {
        const wanted = Array.from({ length: 20 }, (_, n) => `${n + 1} user: text ${4 * n + index}`);
        expect(await transcript(its.store, id)).toEqual(wanted);
        expect(await its.store.sessions.get(id)).toMatchObject({ waiting: 20, lastEvent: 20 });
      }
    });

    it('a message for an unknown session is refused and its neighbours are admitted', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const results = await Promise.allSettled([
        say(its.store, session, 'one'),
        say(its.store, { ...session, id: 'nothing' }, 'two', 'kept free'),
        say(its.store, session, 'three'),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(results[1]).toMatchObject({ reason: { code: 'not-found' } });
      expect(await transcript(its.store, session.id)).toEqual(['1 user: one', '2 user: three']);
      expect((await say(its.store, session, 'four', 'kept free')).duplicate).toBe(false);
    });

    it('dropWaiting drops waiting messages, and not the running turn or the log', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const said = [];
      for (const text of ['one', 'two', 'three']) said.push(await say(its.store, session, text));
      const claim = await claimOne(its.store);
      expect(await its.store.inbox.dropWaiting(session.id)).toBe(2);
      expect(await its.store.inbox.dropWaiting(session.id)).toBe(0);
      const messageIds = said.slice(1).map(({ message }) => message.id);
      const [logged, ...more] = await its.store.log.read(session.id, { after: 3, limit: 9 });
      expect(logged).toMatchObject({ number: 4, turnId: undefined, event: { type: 'dropped', messageIds } });
      expect(more).toEqual([]);
      expect(await takeWaiting(its.store, claim)).toEqual([]);
      await its.store.turns.record(claim, { events: [], end: success(''), deliveries: [] });
      expect(await its.store.turns.claim({ node: 'n', leaseMs: 1, limit: 9 })).toEqual([]);
      expect(await transcript(its.store, session.id)).toHaveLength(5);
    });

    it.each(['dropWaiting', 'a command', 'abandoned'])(
      'steered messages that the agent has not taken in are dropped with an event by %s',
      async (way) => {
        const { store } = its;
        const session = await store.sessions.open(place('hall'));
        await say(store, session, 'first');
        const claim = await claimOne(store);
        const { message: taken } = await say(store, session, 'taken in');
        const { message: lost } = await say(store, session, 'not taken in', 'lost');
        await takeWaiting(store, claim);
        const takenIn = [taken.id];
        if (way === 'dropWaiting') expect(await store.inbox.dropWaiting(session.id, takenIn)).toBe(1);
        if (way === 'abandoned') {
          const events = [{ type: 'message', text: 'on', media: [] } as const];
          expect(await store.turns.record(claim, { abandoned: { takenIn }, events })).toMatchObject({
            first: 5,
          });
        }
        if (way === 'a command')
          await store.commands.obey({
            source: 'stop',
            sessionId: session.id,
            said: '/stop',
            order: { kind: 'drop', takenIn },
            answer: ({ dropped }) => ({ reply: `${dropped}`, deliveries: [] }),
          });
        const [dropped] = await store.log.read(session.id, { after: 3, limit: 9 });
        expect(dropped).toMatchObject({ number: 4, event: { type: 'dropped', messageIds: [lost.id] } });
        expect(await say(store, session, 'not taken in', 'lost')).toMatchObject({ dropped: true });
        expect(await store.inbox.get(taken.id)).toMatchObject({ state: 'dropped', turnId: claim.turn.id });
        await store.turns.record(claim, { end: success(''), returned: [lost.id] });
        expect(await store.sessions.get(session.id)).toMatchObject({ waiting: 0 });
      },
    );

    it('the log has the ids of messages that close or renew dropped', async () => {
      for (const end of ['close', 'renew'] as const) {
        const session = await its.store.sessions.open(place(end));
        const { message } = await say(its.store, session, 'never answered');
        if (end === 'close') await its.store.sessions.close(session.id);
        else {
          await its.store.commands.obey({
            source: 'renewal',
            sessionId: session.id,
            said: '/new',
            order: { kind: 'renew', agent: 'other' },
            answer: () => ({ reply: '', deliveries: [] }),
          });
        }
        const logged = await its.store.log.read(session.id, { after: 1, limit: 9 });
        expect(logged.map(({ event }) => event)).toEqual([{ type: 'dropped', messageIds: [message.id] }]);
        expect(await its.store.sessions.get(session.id)).toMatchObject({ waiting: 0, lastEvent: 2 });
      }
    });

    it('a returned message waits again before later ones', async () => {
      const session = await its.store.sessions.open(place('hall'));
      await say(its.store, session, 'one');
      const claim = await claimOne(its.store);
      const { message } = await say(its.store, session, 'two');
      await takeWaiting(its.store, claim);
      await say(its.store, session, 'three');
      await its.store.inbox.returnMessages([message.id, 'nothing']);
      expect(await its.store.sessions.get(session.id)).toMatchObject({ waiting: 2 });
      await its.store.turns.record(claim, { events: [], end: success(''), deliveries: [] });
      expect((await claimOne(its.store)).message).toMatchObject({ id: message.id, text: 'two' });
    });

    it('a dropped message and one of a closed session are not returned', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const claims = [];
      for (const text of ['one', 'three']) {
        await say(its.store, session, text);
        const claim = await claimOne(its.store);
        const { message } = await say(its.store, session, `after ${text}`);
        await takeWaiting(its.store, claim);
        claims.push({ claim, message });
        if (text === 'one') await its.store.inbox.dropWaiting(session.id);
        await its.store.turns.record(claim, { events: [], end: success(''), deliveries: [] });
      }
      await its.store.sessions.close(session.id);
      await its.store.inbox.returnMessages(claims.map(({ message }) => message.id));
      expect(await its.store.sessions.get(session.id)).toMatchObject({ waiting: 0 });
    });
  });
}
