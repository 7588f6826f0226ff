import { describe, expect, it } from 'vitest';
import { claimed, type OpenStore, place, success, useStore } from './setup.ts';

export function describeErrands(open: OpenStore): void {
  describe('errands', () => {
    const its = useStore(open);
    const begin = async (name: string): Promise<string> => (await its.store.sessions.open(place(name))).id;

    it('an errand is kept until it is removed, also over a restart', async () => {
      const [hall, attic] = [await begin('hall'), await begin('attic')];
      await its.store.errands.note(hall, 'echo');
      await its.store.errands.note(hall, 'echo');
      expect(await its.store.errands.list()).toEqual([{ sessionId: hall, agent: 'echo' }]);
      const store = await its.reopen();
      expect(await store.errands.list()).toEqual([{ sessionId: hall, agent: 'echo' }]);
      await store.errands.note(attic, undefined);
      await store.errands.note(hall, undefined);
      expect(await store.errands.list()).toEqual([]);
    });

    it('errands are listed by the last change of their sessions, newest first', async () => {
      const names = ['a', 'b', 'c'];
      for (const name of names) {
        its.clock.now += 10;
        await its.store.errands.note(await begin(name), 'echo');
      }
      its.clock.now += 10;
      await its.store.sessions.rename(await begin('a'), 'changed');
      const listed = (await its.store.errands.list()).map(({ sessionId }) => sessionId);
      expect(listed).toEqual([await begin('a'), await begin('c'), await begin('b')]);
    });

    it('errands of another agent and of a closed session are not listed', async () => {
      const [hall, attic] = [await begin('hall'), await begin('attic')];
      await its.store.errands.note(hall, 'echo');
      await its.store.errands.note(attic, 'echo');
      await its.store.sessions.chooseAgent(hall, 'other');
      await its.store.sessions.close(attic);
      expect(await its.store.errands.list()).toEqual([]);
      await its.store.sessions.chooseAgent(hall, 'echo');
      expect(await its.store.errands.list()).toEqual([{ sessionId: hall, agent: 'echo' }]);
    });

    it('an errand is forgotten with its session', async () => {
      const claim = await claimed(its.store);
      await its.store.turns.record(claim, { events: [], end: success('hi'), deliveries: [] });
      await its.store.errands.note(claim.session.id, 'echo');
      its.clock.now += 100_000;
      expect(await its.store.sessions.forget({ idleMs: 50_000, limit: 10 })).toMatchObject({ sessions: 1 });
      expect(await its.store.errands.list()).toEqual([]);
    });

    it('an errand for an unknown session is refused', async () => {
      await expect(its.store.errands.note('nowhere', 'echo')).rejects.toMatchObject({ code: 'not-found' });
      await its.store.errands.note('nowhere', undefined);
    });

    it('an errand does not move its session in the list', async () => {
      const id = await begin('hall');
      const before = await its.store.sessions.get(id);
      its.clock.now += 1_000;
      await its.store.errands.note(id, 'echo');
      expect(await its.store.sessions.get(id)).toEqual(before);
    });
  });
}
