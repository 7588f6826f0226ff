import type { Answer, Question } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { claimed, HOLDER, type OpenStore, success, transcript, useStore } from './setup.ts';

const question: Question = {
  kind: 'permission',
  title: 'May rm be used?',
  tool: { name: 'rm', input: { path: 'out' } },
  options: [{ id: 'allow', label: 'Allow', effect: 'allow-once' }],
};
const answer: Answer = { by: 'ada', via: 'person', option: 'allow' };
const ask = (id: string) => ({ type: 'ask', id, question }) as const;
const answered = (id: string) => ({ type: 'ask-ended', id, outcome: 'answered', answer }) as const;

export function describeAsks(open: OpenStore): void {
  describe('questions', () => {
    const its = useStore(open);

    it('of an agent are open from the event that asks to the one that ends them', async () => {
      const claim = await claimed(its.store);
      await its.store.turns.record(claim, { events: [ask('q1')] });
      const { session, turn } = claim;
      const asked = { id: 'q1', sessionId: session.id, turnId: turn.id, agent: 'echo', question };
      expect(await its.store.asks.get('q1')).toEqual({
        ...asked,
        state: 'open',
        askedAt: its.clock.now,
        endedAt: undefined,
        answer: undefined,
      });
      its.clock.now += 5;
      await its.store.turns.record(claim, { events: [answered('q1')] });
      expect(await its.store.asks.get('q1')).toMatchObject({
        state: 'answered',
        endedAt: its.clock.now,
        answer,
      });
    });

    it('have one end: the first', async () => {
      const claim = await claimed(its.store);
      const late = { type: 'ask-ended', id: 'q1', outcome: 'expired' } as const;
      await its.store.turns.record(claim, { events: [ask('q1'), answered('q1'), late] });
      expect(await its.store.asks.get('q1')).toMatchObject({ state: 'answered', answer });
    });

    it('are kept as they were asked first, and in the state that they have', async () => {
      const claim = await claimed(its.store);
      const other = { type: 'ask', id: 'q1', question: { ...question, title: 'Something else?' } } as const;
      await its.store.turns.record(claim, { events: [ask('q1'), answered('q1'), other] });
      expect(await its.store.asks.get('q1')).toMatchObject({ question, state: 'answered', answer });
    });

    it('keep an answer of characters that cannot be stored as text that can', async () => {
      const claim = await claimed(its.store);
      const given = { ...answer, text: 'a\0b\ud800' };
      const end = { type: 'ask-ended', id: 'q\0', outcome: 'answered', answer: given } as const;
      await its.store.turns.record(claim, { events: [ask('q\0'), end] });
      expect(await its.store.asks.get('q\0')).toMatchObject({
        id: 'q\uFFFD',
        state: 'answered',
        answer: { text: 'a\uFFFDb\uFFFD' },
      });
    });

    it('are listed newest first, by state and session, page by page', async () => {
      const hall = await claimed(its.store, 'hall');
      const yard = await claimed(its.store, 'yard');
      await its.store.turns.record(hall, { events: [ask('q1'), ask('q2')] });
      await its.store.turns.record(yard, { events: [ask('q3'), answered('q1')] });
      const ids = async (options: object): Promise<string[]> =>
        (await its.store.asks.list({ limit: 9, ...options })).map(({ id }) => id);
      expect(await ids({})).toEqual(['q3', 'q2', 'q1']);
      expect(await ids({ state: 'open' })).toEqual(['q3', 'q2']);
      expect(await ids({ state: 'open', sessionId: hall.session.id })).toEqual(['q2']);
      expect(await ids({ limit: 1, before: 'q3' })).toEqual(['q2']);
      await expect(its.store.asks.list({ limit: 1, before: 'nothing' })).rejects.toMatchObject({
        code: 'not-found',
      });
      expect(await its.store.asks.get('nothing')).toBeUndefined();
    });

    it('of a turn that was interrupted are void, and people see it', async () => {
      const claim = await claimed(its.store);
      await its.store.turns.record(claim, { events: [ask('q1')] });
      its.clock.now += HOLDER.leaseMs;
      await its.store.turns.recover({ notice: () => undefined });
      expect(await its.store.asks.get('q1')).toMatchObject({ state: 'void', answer: undefined });
      expect((await transcript(its.store, claim.session.id)).slice(1)).toEqual([
        '2 ask',
        '3 ask-ended',
        '4 end: ',
      ]);
    });

    it('are forgotten with their session', async () => {
      const claim = await claimed(its.store);
      await its.store.turns.record(claim, { events: [ask('q1'), answered('q1')], end: success('') });
      its.clock.now += 1_000;
      await its.store.sessions.forget({ idleMs: 500, limit: 9 });
      expect(await its.store.asks.get('q1')).toBeUndefined();
    });
  });
}
