import { permissionQuestion, type Question } from '@plugboard/protocol';
import { expect, it } from 'vitest';
import { askEndText, questionText, readAnswer } from '../src/conversation/questions.ts';

const permission = permissionQuestion('rm', { path: 'out' });
const text: Question = { kind: 'text', title: 'Which name?', options: [] };
const form: Question = { kind: 'form', title: 'Where to?', options: [], schema: {} };

it('a question about a tool is shown with its input and the answers to type', () => {
  expect(questionText(permission)).toBe(
    '? May rm be used?\n{\n  "path": "out"\n}\nType 1 (Allow) or 2 (Deny).',
  );
});

it.each([
  ['1', 'allow'],
  ['2', 'deny'],
  [' Allow ', 'allow'],
  ['y', 'allow'],
  ['no', 'deny'],
])('typing %j chooses %s', (typed, option) => {
  expect(readAnswer(permission, typed)).toEqual({ option });
});

it.each(['', 'maybe', '3', '0', '1.5'])('typing %j chooses nothing', (typed) => {
  expect(readAnswer(permission, typed)).toBeUndefined();
});

it('a text is answered with any line, a form with JSON', () => {
  expect(readAnswer(text, ' Ada ')).toEqual({ text: 'Ada' });
  expect(readAnswer(form, '{"to":"Rome"}')).toEqual({ data: { to: 'Rome' } });
  expect(readAnswer(form, 'Rome')).toBeUndefined();
});

it('the end of a question says who decided what, or why nobody did', () => {
  const answer = { by: 'ada', via: 'person', option: 'allow' } as const;
  expect(askEndText({ type: 'ask-ended', id: 'q', outcome: 'answered', answer })).toBe(
    'Answered allow (ada).',
  );
  expect(askEndText({ type: 'ask-ended', id: 'q', outcome: 'expired' })).toMatch(/counts as a no/);
});
