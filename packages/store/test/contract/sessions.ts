import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/contract/records.ts';
import {
  claimed,
  delivery,
  HOLDER,
  message,
  type OpenStore,
  place,
  say,
  success,
  useStore,
} from './setup.ts';

export function describeSessions(open: OpenStore): void {
  describe('sessions', () => {
    const its = useStore(open);

    it('open begins a session in a new place', async () => {
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
        chosen: {},
        cost: undefined,
        createdAt: 5_000,
        updatedAt: 5_000,
        lastEvent: 0,
        waiting: 0,
        running: false,
        closed: false,
      });
      expect(await its.store.sessions.get(session.id)).toEqual(session);
    });

    it('concurrent opens of a place resolve to one session', async () => {
      const opened = await Promise.all(
        Array.from({ length: 20 }, () => its.store.sessions.open(place('hall'))),
      );
      expect(new Set(opened.map(({ id }) => id)).size).toBe(1);
      expect(opened.filter(({ begun }) => begun)).toHaveLength(1);
      expect(await its.store.sessions.open(place('hall'))).toMatchObject({ begun: false });
    });

    it('a session keeps its agent when its place is opened with another', async () => {
      await its.store.sessions.open(place('hall'));
      const again = await its.store.sessions.open({ ...place('hall'), agent: 'other' });
      expect(again.agent).toBe('echo');
    });

    it('sessions differ by place and by channel', async () => {
      const { sessions } = its.store;
      const ids = [
        await sessions.open(place('hall')),
        await sessions.open(place('yard')),
        await sessions.open(place('hall', 'mail')),
      ].map(({ id }) => id);
      expect(new Set(ids).size).toBe(3);
    });

    it('movePlace takes sessions, pending deliveries and people of a place along', async () => {
      const { sessions, outbox, people } = its.store;
      const hall = await sessions.open(place('hall'));
      const ada = await sessions.open(place('hall\nada'));
      const others = [await sessions.open(place('hallway')), await sessions.open(place('hall', 'mail'))];
      const pending = await outbox.add(hall.id, delivery('one'));
      await people.pair({ channel: 'web', sender: '7', name: '', place: 'hall', by: 'x' });
      await sessions.movePlace('web', 'hall', 'dome');
      expect((await sessions.open(place('dome'))).id).toBe(hall.id);
      expect((await sessions.open(place('dome\nada'))).id).toBe(ada.id);
      expect((await outbox.get(pending.id))?.place).toBe('dome');
      expect((await people.get('web', '7'))?.place).toBe('dome');
      for (const other of others) expect((await sessions.get(other.id))?.place).toBe(other.place);
    });

    it('movePlace leaves a session where the other place has a live one', async () => {
      const { sessions } = its.store;
      const [hall, dome] = [await sessions.open(place('hall')), await sessions.open(place('dome'))];
      await sessions.movePlace('web', 'hall', 'dome');
      expect((await sessions.open(place('dome'))).id).toBe(dome.id);
      expect((await sessions.open(place('hall'))).id).toBe(hall.id);
    });

    it('get resolves to undefined for an unknown session', async () => {
      expect(await its.store.sessions.get('nothing')).toBeUndefined();
    });

    it('rename, chooseAgent and rememberAgentSession change a session', async () => {
      const { sessions } = its.store;
      const { id } = await sessions.open(place('hall'));
      await sessions.rename(id, 'Plans');
      await sessions.chooseAgent(id, 'other');
      await sessions.rememberAgentSession(id, 'abc');
      expect(await sessions.get(id)).toMatchObject({ title: 'Plans', agent: 'other', agentSession: 'abc' });
    });

    it('chooseAgent clears agentSession only for a different agent', async () => {
      const { sessions } = its.store;
      const { id } = await sessions.open(place('hall'));
      await sessions.rememberAgentSession(id, 'abc');
      await sessions.chooseAgent(id, 'echo');
      expect((await sessions.get(id))?.agentSession).toBe('abc');
      await sessions.chooseAgent(id, 'other');
      expect((await sessions.get(id))?.agentSession).toBeUndefined();
    });

    it('changes of an unknown session reject with not-found', async () => {
      const { sessions } = its.store;
      const refused = { code: 'not-found', message: 'There is no session nothing.' };
      await expect(sessions.rename('nothing', 'x')).rejects.toMatchObject(refused);
      await expect(sessions.chooseAgent('nothing', 'x')).rejects.toMatchObject(refused);
      await expect(sessions.rememberAgentSession('nothing', 'x')).rejects.toMatchObject(refused);
      await expect(sessions.close('nothing')).rejects.toMatchObject(refused);
    });

    describe('that are closed', () => {
      it('a closed session can be read, and its place gets a new one', async () => {
        const { sessions } = its.store;
        const old = await sessions.open(place('hall'));
        await sessions.close(old.id);
        const next = await sessions.open(place('hall'));
        expect(next.id).not.toBe(old.id);
        expect(await sessions.get(old.id)).toMatchObject({ closed: true });
      });

      it('closing a session drops its waiting messages', async () => {
        const session = await its.store.sessions.open(place('hall'));
        await say(its.store, session, 'one');
        await its.store.sessions.close(session.id);
        expect(await its.store.turns.claim({ node: 'n', leaseMs: 1, limit: 9 })).toEqual([]);
        expect(await its.store.sessions.get(session.id)).toMatchObject({ waiting: 0 });
      });

      it('a running turn of a closed session can end', async () => {
        const claim = await claimed(its.store);
        await its.store.sessions.close(claim.session.id);
        await its.store.turns.record(claim, { events: [], end: success('done'), deliveries: [] });
        expect(await its.store.turns.get(claim.turn.id)).toMatchObject({ state: 'success' });
      });

      it('a closed session admits no message', async () => {
        const session = await its.store.sessions.open(place('hall'));
        await its.store.sessions.close(session.id);
        await expect(say(its.store, session, 'late')).rejects.toMatchObject({ code: 'closed-session' });
        expect(await its.store.log.read(session.id, { after: 0, limit: 9 })).toEqual([]);
      });

      it('closing a closed session changes nothing', async () => {
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
      it('sessions are listed by their last message or end of a turn, newest first', async () => {
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
          await its.store.turns.record(claim, {
            events: [message('hi')],
            end: success('hi'),
            deliveries: [],
          });
        }
        expect(await names()).toBe('abc');
      });

      it('each session is on one page, though many changed in one millisecond', async () => {
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

      it('exceptChannel leaves out one channel and keeps order and pages', async () => {
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

      it('channel lists the sessions of one channel', async () => {
        await its.store.sessions.open(place('hall'));
        const mail = await its.store.sessions.open(place('hall', 'mail'));
        const listed = await its.store.sessions.list({ limit: 9, channel: 'mail' });
        expect(listed.map(({ id }) => id)).toEqual([mail.id]);
      });
    });

    it('what an agent offers is the last of each list that it has sent, in a turn or between two', async () => {
      const claim = await claimed(its.store);
      const { id } = claim.session;
      expect(await its.store.sessions.offered(id)).toEqual({ options: [], commands: [] });
      const model = { id: 'model', name: 'Model', value: 'small', choices: [{ value: 'small', name: 'S' }] };
      const commands = [{ name: 'plan', description: 'Plans.' }];
      await its.store.turns.record(claim, { events: [{ type: 'options', options: [model] }] });
      await its.store.log.note(id, { id: 'n1', event: { type: 'options', commands } });
      expect(await its.store.sessions.offered(id)).toEqual({ options: [model], commands });
      await its.store.log.note(id, { id: 'n2', event: { type: 'options', options: [] } });
      expect(await its.store.sessions.offered(id)).toEqual({ options: [], commands });
    });

    it('options that people choose are added up, and go with the agent', async () => {
      const { id } = await its.store.sessions.open(place('hall'));
      await its.store.sessions.chooseOptions(id, { model: 'small', fast: true });
      await its.store.sessions.chooseOptions(id, { fast: false });
      expect((await its.store.sessions.get(id))?.chosen).toEqual({ model: 'small', fast: false });
      await its.store.log.note(id, {
        id: 'n',
        event: { type: 'options', commands: [{ name: 'a', description: '' }] },
      });
      await its.store.sessions.chooseAgent(id, 'echo');
      expect((await its.store.sessions.get(id))?.chosen).toEqual({ model: 'small', fast: false });
      await its.store.sessions.chooseAgent(id, 'other');
      expect((await its.store.sessions.get(id))?.chosen).toEqual({});
      expect(await its.store.sessions.offered(id)).toEqual({ options: [], commands: [] });
      await expect(its.store.sessions.chooseOptions('nothing', {})).rejects.toMatchObject({
        code: 'not-found',
      });
    });

    it('an agent names a session until a person does, and the gateway only one without a title', async () => {
      const { sessions, log } = its.store;
      const { id } = await sessions.open(place('hall'));
      const titleOf = async () => (await sessions.get(id))?.title;
      const told = (title: string) => log.note(id, { id: title, event: { type: 'session-info', title } });
      await sessions.rename(id, 'hello', 'gateway');
      await told(' Breakfast ');
      await sessions.rename(id, 'again', 'gateway');
      expect(await titleOf()).toBe('Breakfast');
      await told('');
      await told('Marmalade');
      expect(await titleOf()).toBe('Marmalade');
      expect(await sessions.list({ limit: 9, search: 'marmalade' })).toHaveLength(1);
      await sessions.rename(id, 'Mine');
      await told('Theirs');
      expect(await titleOf()).toBe('Mine');
    });

    it('the cost of a session is the sum of its turns in the currency of the first', async () => {
      const claim = await claimed(its.store);
      const { id } = claim.session;
      const priced = (amount: number, currency = 'USD') => ({ ...success(''), cost: { amount, currency } });
      await its.store.turns.record(claim, { end: priced(0.5) });
      for (const end of [
        success(''),
        priced(0.25),
        priced(9, 'EUR'),
        priced(-1),
        priced(1, 'x'.repeat(99)),
      ]) {
        await say(its.store, claim.session, 'more');
        const [next] = await its.store.turns.claim(HOLDER);
        if (next !== undefined) await its.store.turns.record(next, { end });
      }
      expect((await its.store.sessions.get(id))?.cost).toEqual({ amount: 0.75, currency: 'USD' });
    });

    it('idle sessions are forgotten with all their records', async () => {
      const claim = await claimed(its.store, 'old');
      await its.store.turns.record(claim, {
        events: [message('marmalade')],
        deliveries: [delivery('marmalade')],
      });
      await its.store.turns.record(claim, { events: [], end: success('marmalade'), deliveries: [] });
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
