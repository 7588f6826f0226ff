import { createTurn, faultEvent, type HostEffect, permissionQuestion, type Turn } from '@plugboard/protocol';
import { expect, it } from 'vitest';
import type { Conversation } from '../src/resident/conversation.ts';
import { createResidentLink } from '../src/resident/link.ts';

/** A link to a conversation that notes what it is told. */
function linked(receive: (effects: readonly HostEffect[]) => Promise<void> = async () => {}) {
  const log: string[] = [];
  const got: HostEffect[] = [];
  const conversation = {
    send: ({ id, extensions }: Turn) => void log.push(`send ${id} ${extensions?.permission === true}`),
    interrupt: (turnId: string) => void log.push(`interrupt ${turnId}`),
    drained: () => void log.push('drained'),
    process: {
      step: (input: { type: string; answer: { option?: string } }) =>
        void log.push(`answer ${input.answer.option}`),
      child: { pendingInput: () => 0 },
    },
  } as unknown as Conversation;
  const link = createResidentLink(
    { conversation, approve: (ask) => ask, remember: () => undefined },
    (effects) => {
      got.push(...effects);
      return receive(effects);
    },
  );
  const types = () =>
    got.splice(0).map((effect) => (effect.type === 'events' ? effect.events[0]?.type : effect.type));
  return { link, log, types };
}

const turn = createTurn({ id: '1' });
const offer = createTurn({ id: '1', extensions: { permission: true } });
const ask: HostEffect = { type: 'ask', askId: 'a', turnId: '1', question: permissionQuestion('Bash', {}) };
const returned: HostEffect = { type: 'input', inputId: '1', state: 'returned' };

it('sends an input again that the agent has returned, unless it was stopped or the link is closed', () => {
  const { link, log, types } = linked();
  link.send(turn);
  link.take([returned]);
  expect(log.filter((line) => line !== 'drained')).toEqual(['send 1 false', 'send 1 false']);
  expect(types()).toEqual([]);
  link.interrupt('1');
  link.take([returned]);
  expect(types()).toEqual(['input', 'end']);
  link.send(turn);
  link.close();
  link.take([returned]);
  expect(types()).toEqual(['input', 'end']);
});

it('puts the question of a turn to the front that has offered to answer, and denies any other', async () => {
  const { link, log, types } = linked(async (effects) => {
    for (const effect of effects)
      if (effect.type === 'ask') link.answer(effect.askId, { by: 'ada', via: 'person', option: 'allow' });
  });
  link.send(offer);
  link.take([{ type: 'events', turnId: '1', events: [{ type: 'accepted' }] }, ask]);
  expect(types()).toEqual(['accepted', 'ask', 'ask']);
  await expect.poll(() => log).toContain('answer allow');
  link.send(turn);
  link.take([ask]);
  await expect.poll(() => log).toContain('answer deny');
});

it('passes on that the agent has taken a question back', () => {
  const { link, types } = linked();
  link.send(offer);
  link.take([ask]);
  expect(link.isAsking()).toBe(true);
  link.take([{ type: 'withdraw', askId: 'a' }]);
  expect(types()).toEqual(['ask', 'ask', 'ask-ended', 'withdraw']);
  expect(link.isAsking()).toBe(false);
});

it('holds the agent back until the front has taken its events', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { link, log } = linked(() => promise);
  link.take([{ type: 'events', turnId: '1', events: [{ type: 'accepted' }] }]);
  expect(log).toEqual([]);
  resolve();
  await expect.poll(() => log).toEqual(['drained']);
});

it('passes on the first faults of a turn, and counts the others', () => {
  const { link, types } = linked();
  const fault = (): HostEffect => ({
    type: 'events',
    turnId: '1',
    events: [faultEvent('invalid-json', 'x')],
  });
  for (let count = 0; count < 150; count++) link.take([fault()]);
  link.take([{ type: 'events', turnId: '1', events: [{ type: 'end', outcome: 'success', text: '' }] }]);
  expect(types().filter((type) => type === 'fault')).toHaveLength(101);
});
