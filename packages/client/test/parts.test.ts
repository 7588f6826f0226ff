import type { Event } from '@plugboard/protocol';
import { expect, it } from 'vitest';
import { type AnswerPart, foldAnswer, textOf } from '../src/index.ts';

const output = (text: string): Event => ({ type: 'delta', kind: 'output', text });
const thinking = (text: string): Event => ({ type: 'delta', kind: 'thinking', text });
const message = (text: string): Event => ({ type: 'message', text, media: [] });
const END: Event = { type: 'end', outcome: 'success', text: '' };

function fold(...events: readonly Event[]): readonly AnswerPart[] {
  return events.reduce<readonly AnswerPart[]>(
    (parts, event, at) => foldAnswer(parts, event, String(at + 1)),
    [],
  );
}

const wordsOf = (part: AnswerPart): string => {
  if (part.kind === 'tool') return part.name;
  if (part.kind === 'plan') return part.steps.map(({ text, status }) => `${text}:${status}`).join(', ');
  return part.kind === 'ask' ? `${part.question.title} ${part.ended?.outcome ?? 'open'}` : part.text;
};

const shown = (parts: readonly AnswerPart[]): string[] =>
  parts.map((part) => `${part.kind} ${wordsOf(part)}${'open' in part && part.open ? ' …' : ''}`);

it('foldAnswer joins deltas, and a message replaces what they said', () => {
  expect(shown(fold(output('Hel'), output('lo')))).toEqual(['text Hello …']);
  expect(shown(fold(output('Hel'), message('Hello!')))).toEqual(['text Hello!']);
});

it('foldAnswer keeps a question where it was asked, and gives it the end that its id names', () => {
  const question = { kind: 'permission', title: 'May rm be used?', options: [] } as const;
  const ask: Event = { type: 'ask', id: 'q', question };
  const ended = (id: string): Event => ({ type: 'ask-ended', id, outcome: 'expired' });
  expect(shown(fold(ask, message('one')))).toEqual(['ask May rm be used? open', 'text one']);
  expect(shown(fold(ask, message('one'), ended('other'), ended('q')))).toEqual([
    'ask May rm be used? expired',
    'text one',
  ]);
});

it('foldAnswer leaves a streamed message between the tool calls where its deltas came', () => {
  const tool: Event = { type: 'tool-call', id: 'a', name: 'look', input: null };
  const streamed: Event = { type: 'message', text: 'First. Then.', media: [], streamed: true };
  expect(shown(fold(output('First. '), tool, output('Then.'), streamed))).toEqual([
    'text First. ',
    'tool look',
    'text Then.',
  ]);
});

it('foldAnswer completes a streamed message of which only the tail was seen', () => {
  expect(shown(fold(output('lo'), { type: 'message', text: 'Hello', media: [], streamed: true }))).toEqual([
    'text Hello',
  ]);
});

it('foldAnswer keeps a message that broke off apart from the one after a restart', () => {
  const restart: Event = { type: 'delta', kind: 'output', text: ' […]', restart: true };
  expect(shown(fold(output('Hel'), restart, output('Good'), message('Good day')))).toEqual([
    'text Hel […]',
    'text Good day',
  ]);
});

it('foldAnswer ends thinking when something else begins', () => {
  expect(shown(fold(thinking('Hm'), thinking('m.'), output('Yes')))).toEqual(['thinking Hmm.', 'text Yes …']);
});

it('foldAnswer gives a result to its call, and shows one without a call by itself', () => {
  const call: Event = { type: 'tool-call', id: 'a', name: 'look', input: { at: 1 } };
  const result = (id: string): Event => ({ type: 'tool-result', id, content: 'seen', isError: false });
  const parts = fold(call, result('a'), result('b'));
  expect(parts).toMatchObject([
    { name: 'look', result: { content: 'seen' } },
    { id: 'b', name: '', result: { content: 'seen' } },
  ]);
});

it('foldAnswer keeps one plan, where it first stood', () => {
  const plan = (status: 'pending' | 'done'): Event => ({ type: 'plan', steps: [{ text: 'look', status }] });
  expect(shown(fold(plan('pending'), message('one'), plan('done')))).toEqual(['plan look:done', 'text one']);
});

it('foldAnswer changes a call by its updates, and shows the parts of its result', () => {
  const call: Event = { type: 'tool-call', id: 'a', name: 'edit', input: {}, status: 'pending' };
  const update: Event = {
    type: 'tool-update',
    id: 'a',
    title: 'Edit a.txt',
    kind: 'edit',
    status: 'running',
  };
  const diff = { type: 'diff', path: 'a.txt', newText: 'x' } as const;
  const result: Event = { type: 'tool-result', id: 'a', content: 'done', isError: false, parts: [diff] };
  const early = fold(call, update);
  expect(early).toMatchObject([{ title: 'Edit a.txt', toolKind: 'edit', status: 'running', input: {} }]);
  expect(foldAnswer(early, result, '9')).toMatchObject([{ content: [diff], result: { content: 'done' } }]);
  expect(fold({ type: 'tool-update', id: 'b', title: 'Look' })).toMatchObject([{ id: 'b', title: 'Look' }]);
});

it('foldAnswer shows a thought once, whether its deltas came before or not', () => {
  const thought = { type: 'thinking', text: 'Hmm.' } as const;
  expect(shown(fold(thinking('Hm'), { ...thought, streamed: true }, output('Yes')))).toEqual([
    'thinking Hm',
    'text Yes …',
  ]);
  expect(shown(fold(thought, thought, { ...thought, streamed: true }))).toEqual([
    'thinking Hmm.',
    'thinking Hmm.',
  ]);
});

it('foldAnswer closes every part at the end, and changes nothing for events that show nothing', () => {
  expect(shown(fold(thinking('Hm'), output('Yes'), END))).toEqual(['thinking Hm', 'text Yes']);
  const parts = fold(output('Yes'));
  expect(foldAnswer(parts, { type: 'progress', text: 'working' }, '9')).toBe(parts);
});

it('textOf parts messages by a blank line, and leaves out thinking', () => {
  expect(textOf(fold(thinking('Hm'), message('One.'), message('Two.')))).toBe('One.\n\nTwo.');
});
