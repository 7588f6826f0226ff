import type { Answer, Question } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { answerProblem, createOpenAsks } from '../../src/asks/open-asks.ts';
import { worker } from '../config-of.ts';

const OPTIONS = [
  { id: 'yes', label: 'Yes' },
  { id: 'no', label: 'No' },
];

function questionOf(kind: Question['kind']): Question {
  return { kind, title: 'Which one?', options: kind === 'permission' || kind === 'choice' ? OPTIONS : [] };
}

describe('an answer', () => {
  it.each([
    ['permission', { option: 'yes' }],
    ['choice', { option: 'no' }],
    ['choice', { text: 'Neither.' }],
    ['text', { text: '' }],
    ['form', { data: null }],
  ] as const)('to a %s may be %j', (kind, answer) => {
    expect(answerProblem(questionOf(kind), answer)).toBeUndefined();
  });

  it.each([
    ['permission', {}, /^Choose one of the options/],
    ['permission', { text: 'Yes.' }, /^Choose one of the options/],
    ['permission', { option: 'toString' }, /^There is no option "toString"\. There are: yes, no\.$/],
    ['choice', { data: 'yes' }, /^Choose one of the options/],
    ['text', { data: 'Ada' }, /^This question is answered with a text\.$/],
    ['text', { option: 'yes', text: 'Ada' }, /^There is no option "yes"/],
    ['form', { text: 'Ada' }, /^This question is answered with data\.$/],
  ] as const)('to a %s may not be %j', (kind, answer, problem) => {
    expect(answerProblem(questionOf(kind), answer)).toMatch(problem);
  });
});

describe('open questions', () => {
  const answer = (by: string): Answer => ({ by, via: 'person', option: 'yes' });
  const openOne = (id: string, asks = createOpenAsks()) => {
    const stop = new AbortController();
    const approvals = { default: 'ask', rules: [], timeoutSecs: 60 } as const;
    const config = worker('one', 'nuum', '/tmp');
    const agent = { ...config, profile: { ...config.profile, approvals } };
    const ask = asks.by({ id: 's1', channel: 'web' }, agent);
    const answered = ask?.(questionOf('permission'), { id, signal: stop.signal });
    answered?.catch(() => {});
    return { asks, stop, answered };
  };

  it('have one answer, and who gave it is known before it is stored', async () => {
    const { asks, answered } = openOne('q1');
    expect(asks.given('q1')).toBeUndefined();
    expect(asks.answer('q1', answer('ada'))).toBe(true);
    expect(asks.answer('q1', answer('bob'))).toBe(false);
    expect(await answered).toEqual(answer('ada'));
    expect(asks.given('q1')).toEqual({ by: 'ada', option: 'yes' });
  });

  it('are forgotten with their answers, the oldest first, after a thousand more', () => {
    const asks = createOpenAsks();
    for (let count = 0; count <= 1_000; count++) {
      openOne(`q${count}`, asks);
      asks.answer(`q${count}`, answer('ada'));
    }
    expect(asks.given('q0')).toBeUndefined();
    expect(asks.given('q1')).toBeDefined();
  });

  it('that were withdrawn take no answer', () => {
    const { asks, stop } = openOne('q1');
    stop.abort();
    expect(asks.find('q1')).toBeUndefined();
    expect(asks.answer('q1', answer('ada'))).toBe(false);
    expect(asks.given('q1')).toBeUndefined();
  });
});
