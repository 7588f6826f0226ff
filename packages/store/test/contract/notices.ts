import { describe, expect, it } from 'vitest';
import { claimed, message, type OpenStore, place, success, transcript, useStore } from './setup.ts';

function notice(id: string, text: string) {
  return { id, event: { type: 'notice', text } as const };
}

export function describeNotices(open: OpenStore): void {
  describe('notices', () => {
    const its = useStore(open);

    it('a notice has its own number in the log', async () => {
      const claim = await claimed(its.store);
      const { first } = await its.store.turns.record(claim, { events: [message('one')] });
      its.clock.now = 5_000;
      const { event, duplicate } = await its.store.log.note(claim.session.id, notice('n1', 'stopping'));
      expect(duplicate).toBe(false);
      expect(event).toEqual({
        sessionId: claim.session.id,
        number: first + 1,
        turnId: undefined,
        at: 5_000,
        event: { type: 'notice', text: 'stopping' },
      });
      const appended = await its.store.turns.record(claim, {
        events: [message('two')],
        end: success('two'),
        deliveries: [],
      });
      expect(appended).toMatchObject({ first: first + 2, at: 5_000 });
      expect(await transcript(its.store, claim.session.id)).toEqual([
        '1 user: hello',
        '2 message: one',
        '3 notice: stopping',
        '4 message: two',
        '5 end: two',
      ]);
    });

    it('a notice with a known id is not appended again, also after a restart', async () => {
      const session = await its.store.sessions.open(place('hall'));
      const first = await its.store.log.note(session.id, notice('n1', 'hello'));
      const store = await its.reopen();
      const again = await store.log.note(session.id, notice('n1', 'something else'));
      expect(again).toEqual({ event: first.event, duplicate: true });
      expect(await transcript(store, session.id)).toEqual(['1 notice: hello']);
    });

    it('a notice for an unknown session is refused', async () => {
      await expect(its.store.log.note('nowhere', notice('n1', 'hello'))).rejects.toMatchObject({
        code: 'not-found',
      });
    });
  });
}
