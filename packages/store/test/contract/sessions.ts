import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/index.ts';
import { claimed, delivery, message, type OpenStore, place, say, success, useStore } from './setup.ts';

export function describeSessions(open: OpenStore): void {
  describe('sessions', () => {
    const its = useStore(open);

    it('begin when a place is opened for the first time', async () => {
      its.clock.now = 5_000;
      const opened = await its.store.sessions.open({ channel: 'web', place: 'hall', agent: 'echo' });
      const { begun, ...session } = opened;
      expect(begun).toBe(true);
      expect(session).toEqual({
        id: session.id,
        channel: 'web',
        place: 'hall',
        agent: 'echo',
        title: '',
        agentSession: undefined,
        createdAt: 5_000,
        updatedAt: 5_000,
        lastEvent: 0,
        waiting: 0,
        running: false,
        closed: false,
      });
      expect(await its.store.sessions.get(session.id)).toEqual(session);
    });

    it('are the same however often and by however many a place is opened', async () => {
      const opened = await Promise.all(
        Array.from({ length: 20 }, () => its.store.sessions.open(place('hall'))),
      );
      expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
      expect(opened.filter(({ begun }) => begun)).toHaveLength(1);
      expect(await its.store.sessions.open(place('hall'))).toMatchObject({ begun: false });
    });

    it('keep the agent they began with when they are opened with another', async () => {
      await its.store.sessions.open(place('hall'));
      const again = await its.store.sessions.open({ ...place('hall'), agent: 'other' });
      expect(again.agent).toBe('echo');
    });

    it('differ between places, and between channels with places of the same name', async () => {
      const { sessions } = its.store;
      const ids = [
        await sessions.open(place('hall')),
        await sessions.open(place('yard')),
        await sessions.open(place('hall', 'mail')),
      ].map(({ id }) => id);
      expect(new Set(ids).size).toBe(3);
    });

    it('are undefined when there are none with that id', async () => {
      expect(await its.store.sessions.get('nothing')).toBeUndefined();
    });

    it('can be named, given to another agent, and remembered by an agent', async () => {
      const { sessions } = its.store;
      const { id } = await sessions.open(place('hall'));
      await sessions.rename(id, 'Plans');
      await sessions.chooseAgent(id, 'other');
      await sessions.rememberAgentSession(id, 'abc');
      expect(await sessions.get(id)).toMatchObject({ title: 'Plans', agent: 'other', agentSession: 'abc' });
    });

    it('forget what one agent remembered them by when another takes over, and only then', async () => {
      const { sessions } = its.store;
      const { id } = await sessions.open(place('hall'));
      await sessions.rememberAgentSession(id, 'abc');
      await sessions.chooseAgent(id, 'echo');
      expect((await sessions.get(id))?.agentSession).toBe('abc');
      await sessions.chooseAgent(id, 'other');
      expect((await sessions.get(id))?.agentSession).toBeUndefined();
    });

    it('that are not there cannot be changed', async () => {
      const { sessions } = its.store;
      const refused = { code: 'not-found', message: 'There is no session nothing.' };
      await expect(sessions.rename('nothing', 'x')).rejects.toMatchObject(refused);
      await expect(sessions.chooseAgent('nothing', 'x')).rejects.toMatchObject(refused);
      await expect(sessions.rememberAgentSession('nothing', 'x')).rejects.toMatchObject(refused);
      await expect(sessions.close('nothing')).rejects.toMatchObject(refused);
    });

    describe('that are closed', () => {
      it('make room for a new one in their place, and can still be read', async () => {
        const { sessions } = its.store;
        const old = await sessions.open(place('hall'));
        await sessions.close(old.id);
        const next = await sessions.open(place('hall'));
        expect(next.id).not.toBe(old.id);
        expect(await sessions.get(old.id)).toMatchObject({ closed: true });
      });

      it('drop the messages that wait', async () => {
        const session = await its.store.sessions.open(place('hall'));
        await say(its.store, session, 'one');
        await its.store.sessions.close(session.id);
        expect(await its.store.turns.claim({ node: 'n', leaseMs: 1, limit: 9 })).toEqual([]);
        expect(await its.store.sessions.get(session.id)).toMatchObject({ waiting: 0 });
      });

      it('let a turn that runs come to its end', async () => {
        const claim = await claimed(its.store);
        await its.store.sessions.close(claim.session.id);
        await its.store.turns.complete(claim, { events: [], end: success('done'), deliveries: [] });
        expect(await its.store.turns.get(claim.turn.id)).toMatchObject({ state: 'success' });
      });

      it('take in nothing new', async () => {
        const session = await its.store.sessions.open(place('hall'));
        await its.store.sessions.close(session.id);
        await expect(say(its.store, session, 'late')).rejects.toMatchObject({ code: 'closed-session' });
        expect(await its.store.log.read(session.id, { after: 0, limit: 9 })).toEqual([]);
      });

      it('can be closed again without a change', async () => {
        const { sessions } = its.store;
        const { id } = await sessions.open(place('hall'));
        await sessions.close(id);
        const closed = await sessions.get(id);
        its.clock.now += 1_000;
        await sessions.close(id);
        expect(await sessions.get(id)).toEqual(closed);
      });
    });

    describe('in a list', () => {
      it('come newest first, and move to the front with a message or the end of a turn', async () => {
        const sessions: Session[] = [];
        for (const name of ['a', 'b', 'c']) {
          its.clock.now += 10;
          sessions.push(await its.store.sessions.open(place(name)));
        }
        const names = async (): Promise<string> =>
          (await its.store.sessions.list({ limit: 9 })).map((session) => session.place).join('');
        expect(await names()).toBe('cba');
        its.clock.now += 10;
        await say(its.store, sessions[0] as Session, 'hello');
        expect(await names()).toBe('acb');
        const [claim] = await its.store.turns.claim({ node: 'n', leaseMs: 1_000, limit: 1 });
        its.clock.now += 10;
        await say(its.store, sessions[1] as Session, 'hello');
        expect(await names()).toBe('bac');
        its.clock.now += 10;
        if (claim !== undefined) {
          await its.store.turns.complete(claim, {
            events: [message('hi')],
            end: success('hi'),
            deliveries: [],
          });
        }
        expect(await names()).toBe('abc');
      });

      it('are each on one page, though many changed in the same instant', async () => {
        await Promise.all(Array.from({ length: 25 }, (_, n) => its.store.sessions.open(place(`p${n}`))));
        const seen: string[] = [];
        let before: Session | undefined;
        do {
          const page = await its.store.sessions.list({ limit: 10, ...(before && { before }) });
          seen.push(...page.map(({ id }) => id));
          before = page.at(-1);
        } while (before !== undefined);
        expect(seen).toHaveLength(25);
        expect(new Set(seen).size).toBe(25);
      });

      it('can be those of all channels but one, in the same order and on pages', async () => {
        const ids: string[] = [];
        for (const [index, channel] of ['web', 'api', 'mail', 'api', 'web', 'mail', 'api', 'web'].entries()) {
          its.clock.now += index % 2;
          const { id } = await its.store.sessions.open({ channel, place: `${index}`, agent: 'echo' });
          if (channel !== 'api') ids.unshift(id);
        }
        const list = (before?: { id: string; updatedAt: number }) =>
          its.store.sessions.list({ limit: 2, exceptChannel: 'api', ...(before && { before }) });
        const listed: string[] = [];
        for (let page = await list(); page.length > 0; page = await list(page.at(-1)))
          listed.push(...page.map(({ id }) => id));
        expect(listed).toEqual(ids);
        expect(await its.store.sessions.list({ limit: 9, exceptChannel: 'none' })).toHaveLength(8);
      });

      it('can be those of one channel', async () => {
        await its.store.sessions.open(place('hall'));
        const mail = await its.store.sessions.open(place('hall', 'mail'));
        const listed = await its.store.sessions.list({ limit: 9, channel: 'mail' });
        expect(listed.map(({ id }) => id)).toEqual([mail.id]);
      });
    });

    it('are forgotten when nothing has happened in them for long, with all that was theirs', async () => {
      const claim = await claimed(its.store, 'old');
      await its.store.turns.append(claim, [message('marmalade')], [delivery('marmalade')]);
      await its.store.turns.complete(claim, { events: [], end: success('marmalade'), deliveries: [] });
      await its.store.sessions.rename(claim.session.id, 'breakfast');
      await its.store.log.note(claim.session.id, { id: 'n', event: { type: 'notice', text: 'well' } });
      const file = {
        id: 'f',
        sessionId: claim.session.id,
        name: 'jam.txt',
        type: 'text/plain',
        size: 1,
        file: 'f',
      };
      await its.store.media.add(file);
      its.clock.now += 100_000;
      const fresh = await its.store.sessions.open(place('fresh'));
      const options = { idleMs: 50_000, limit: 10 };
      expect(await its.store.sessions.forget(options)).toEqual({ sessions: 0, files: [] });
      await its.store.outbox.expire();
      expect(await its.store.sessions.forget(options)).toEqual({ sessions: 1, files: ['f'] });
      expect(await its.store.sessions.get(claim.session.id)).toBeUndefined();
      expect(await its.store.turns.get(claim.turn.id)).toBeUndefined();
      expect(await its.store.media.get('f')).toBeUndefined();
      for (const search of ['marmalade', 'breakfast']) {
        expect(await its.store.sessions.list({ limit: 9, search })).toEqual([]);
      }
      expect(await its.store.sessions.list({ limit: 9 })).toMatchObject([{ id: fresh.id }]);
    });
  });
}
