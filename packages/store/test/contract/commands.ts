import { describe, expect, it } from 'vitest';
import type { Done, Obeyed, Order } from '../../src/contract/commands.ts';
import type { NewDelivery } from '../../src/contract/outbox.ts';
import type { Session } from '../../src/contract/records.ts';
import type { Store } from '../../src/contract/store.ts';
import { claimed, claimOne, delivery, HOLDER, type OpenStore, place, say, useStore } from './setup.ts';

interface Given {
  readonly source?: string;
  readonly said?: string;
  readonly reply?: (done: Done) => string;
  readonly deliveries?: readonly NewDelivery[];
}

let sources = 0;

function order(
  store: Store,
  session: Pick<Session, 'id'>,
  given: Order,
  { source, said = '', reply = () => 'done', deliveries = [] }: Given = {},
): Promise<Obeyed> {
  sources += 1;
  return store.commands.obey({
    source: source ?? `command:${sources}`,
    sessionId: session.id,
    said,
    order: given,
    answer: (done) => ({ reply: reply(done), deliveries }),
  });
}

export function describeCommands(open: OpenStore): void {
  describe('a command', () => {
    const its = useStore(open);

    it('a command that is a question only adds the delivery of its answer', async () => {
      const opened = await its.store.sessions.open(place('hall'));
      const { begun: _begun, ...session } = opened;
      const given = {
        reply: (done: Done) => `${done.session.agent} is here`,
        deliveries: [delivery('here')],
      };
      expect(await order(its.store, session, { kind: 'nothing' }, given)).toEqual({
        session,
        dropped: 0,
        reply: 'echo is here',
        duplicate: false,
      });
      expect(await its.store.sessions.get(session.id)).toEqual(session);
      expect(await its.store.outbox.list({ limit: 9 })).toMatchObject([
        { sessionId: session.id, turnId: undefined, state: 'pending', body: { text: 'here' } },
      ]);
    });

    it('a drop command drops the waiting messages', async () => {
      const session = await its.store.sessions.open(place('hall'));
      for (const text of ['one', 'two']) await say(its.store, session, text);
      const obeyed = await order(
        its.store,
        session,
        { kind: 'drop' },
        { reply: (done) => `${done.dropped}` },
      );
      expect(obeyed).toMatchObject({ session: { id: session.id, waiting: 0 }, dropped: 2, reply: '2' });
      expect(await its.store.turns.claim(HOLDER)).toEqual([]);
    });

    it('the running turn of a session with a drop command is not asked again after a crash', async () => {
      const claim = await claimed(its.store);
      const { session } = await order(its.store, claim.session, { kind: 'drop' });
      expect(session.running).toBe(true);
      await say(its.store, claim.session, 'next');
      const store = await its.reopen();
      const turns = await store.turns.recover({
        node: HOLDER.node,
        notice: () => undefined,
        again: () => true,
      });
      expect(turns).toMatchObject([{ id: claim.turn.id, state: 'interrupted' }]);
      expect((await claimOne(store)).message?.text).toBe('next');
    });

    it('a choose-agent command takes effect with the next turn', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const { session: after } = await order(its.store, session, { kind: 'choose-agent', agent: 'other' });
      expect(after).toMatchObject({ id: session.id, agent: 'other' });
      expect((await its.store.sessions.get(session.id))?.agent).toBe('other');
    });

    it('a renew command closes the session, drops its messages, and answers in the new session', async () => {
      const old = await its.store.sessions.open(place('hall'));
      await say(its.store, old, 'one');
      const given = { deliveries: [delivery('anew')] };
      const { session, dropped } = await order(its.store, old, { kind: 'renew', agent: 'other' }, given);
      expect(dropped).toBe(1);
      expect(session).toMatchObject({ channel: 'web', place: 'hall', agent: 'other', closed: false });
      expect(session.id).not.toBe(old.id);
      expect(await its.store.sessions.get(old.id)).toMatchObject({ closed: true, waiting: 0 });
      expect((await its.store.sessions.open(place('hall'))).id).toBe(session.id);
      expect(await its.store.outbox.list({ limit: 9 })).toMatchObject([{ sessionId: session.id }]);
    });

    it('a renew command for a closed session leads to the live one', async () => {
      const old = await its.store.sessions.open(place('hall'));
      await its.store.sessions.close(old.id);
      const live = await its.store.sessions.open(place('hall'));
      const { session } = await order(its.store, old, { kind: 'renew', agent: 'other' });
      expect(session).toMatchObject({ id: live.id, agent: 'echo' });
    });

    it('a command that changes a closed session is refused', async () => {
      const old = await its.store.sessions.open(place('hall'));
      await its.store.sessions.close(old.id);
      for (const given of [{ kind: 'choose-agent', agent: 'other' }, { kind: 'drop' }] as const)
        await expect(order(its.store, old, given)).rejects.toMatchObject({ code: 'closed-session' });
      expect((await its.store.sessions.get(old.id))?.agent).toBe('echo');
    });

    it('a repeated command is not obeyed again, also after a restart, and gets the first answer', async () => {
      const old = await its.store.sessions.open(place('hall'));
      const given = { source: 'same', deliveries: [delivery('anew')] };
      const first = await order(its.store, old, { kind: 'renew', agent: 'echo' }, given);
      await say(its.store, first.session, 'waits');
      for (const restarted of [false, true]) {
        const store = restarted ? await its.reopen() : its.store;
        for (const session of [old, first.session]) {
          const reply = (): string => 'something else';
          const again = await order(store, session, { kind: 'renew', agent: 'x' }, { ...given, reply });
          expect(again).toMatchObject({ reply: 'done', dropped: 0, duplicate: true });
          expect(again.session).toMatchObject({ id: first.session.id, closed: false, waiting: 1 });
        }
        expect(await store.sessions.list({ limit: 9 })).toHaveLength(2);
        expect(await store.outbox.list({ limit: 9 })).toHaveLength(1);
      }
    });

    it('another command with a known source rejects with conflict', async () => {
      const session = await its.store.sessions.open(place('hall'));
      await order(its.store, session, { kind: 'nothing' }, { source: 'same', said: 'status' });
      const other = { source: 'same', said: 'new', deliveries: [delivery('anew')] };
      for (const restarted of [false, true]) {
        const store = restarted ? await its.reopen() : its.store;
        const refused = order(store, session, { kind: 'renew', agent: 'echo' }, other);
        await expect(refused).rejects.toMatchObject({ code: 'conflict' });
        expect(await store.sessions.get(session.id)).toMatchObject({ closed: false });
        expect(await store.outbox.list({ limit: 9 })).toEqual([]);
        const again = { source: 'same', said: 'status' };
        expect(await order(store, session, { kind: 'nothing' }, again)).toMatchObject({ duplicate: true });
      }
    });

    it('a command and a message cannot have the same source', async () => {
      const session = await its.store.sessions.open(place('hall'));
      await say(its.store, session, 'hello', 'message');
      await order(its.store, session, { kind: 'nothing' }, { source: 'command' });
      for (const restarted of [false, true]) {
        const store = restarted ? await its.reopen() : its.store;
        const renew = order(store, session, { kind: 'renew', agent: 'echo' }, { source: 'message' });
        await expect(renew).rejects.toMatchObject({ code: 'conflict' });
        await expect(say(store, session, 'hi', 'command')).rejects.toMatchObject({ code: 'conflict' });
        expect(await say(store, session, 'hello', 'message')).toMatchObject({ duplicate: true });
        expect(await order(store, session, { kind: 'nothing' }, { source: 'command' })).toMatchObject({
          duplicate: true,
        });
        expect(await store.sessions.get(session.id)).toMatchObject({
          closed: false,
          waiting: 1,
          lastEvent: 1,
        });
      }
    });

    it('a command that comes several times at once is obeyed once', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const all = await Promise.all(
        Array.from({ length: 20 }, () =>
          order(its.store, session, { kind: 'renew', agent: 'echo' }, { source: 'same' }),
        ),
      );
      expect(all.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
      expect(new Set(all.map((one) => one.session.id)).size).toBe(1);
      expect(await its.store.sessions.list({ limit: 9 })).toHaveLength(2);
    });

    it('a command whose answer throws, or without a session, changes nothing', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const reply = (): string => {
        throw new Error('no words');
      };
      const renew = { kind: 'renew', agent: 'echo' } as const;
      await expect(order(its.store, session, renew, { source: 's', reply })).rejects.toThrow('no words');
      await expect(order(its.store, { id: 'nothing' }, renew, { source: 's' })).rejects.toMatchObject({
        code: 'not-found',
      });
      expect(await its.store.sessions.list({ limit: 9 })).toMatchObject([{ id: session.id, closed: false }]);
      expect(await order(its.store, session, renew, { source: 's' })).toMatchObject({ duplicate: false });
    });

    it('a command is forgotten with its session', async () => {
      const session = await its.store.sessions.open(place('hall'));
      await order(its.store, session, { kind: 'nothing' }, { source: 'same' });
      its.clock.now += 100_000;
      expect(await its.store.sessions.forget({ idleMs: 50_000, limit: 9 })).toMatchObject({ sessions: 1 });
      const next = await its.store.sessions.open(place('hall'));
      expect(await order(its.store, next, { kind: 'nothing' }, { source: 'same' })).toMatchObject({
        duplicate: false,
        session: { id: next.id },
      });
    });
  });
}
