import type { Event } from '@plugboard/host';
import { describe, expect, it } from 'vitest';
import { addEvent, createAnswerText } from '../../src/http/openai/turn/answer-text.ts';

const delta = (text: string): Event => ({ type: 'delta', kind: 'output', text });
const message = (text: string, more: object = {}): Event => ({ type: 'message', text, media: [], ...more });
const end = (text: string): Event => ({ type: 'end', outcome: 'success', text });

const broken: readonly Event[] = [delta('x'), { type: 'delta', kind: 'output', text: ' […]', restart: true }];

function told(live: boolean, events: readonly Event[]): string[] {
  const answerText = createAnswerText(live, 'http://here');
  const pieces = events.flatMap((event) => addEvent(answerText, event)).map(({ text }) => text);
  expect(answerText.text).toBe(pieces.join(''));
  return pieces;
}

describe('what a client is told of a turn', () => {
  it.each<[string, readonly Event[], readonly string[], readonly string[]]>([
    ['a message', [message('hi'), end('hi')], ['hi'], ['hi']],
    ['two messages', [message('a'), message('b'), end('b')], ['a', '\n\nb'], ['a', '\n\nb']],
    ['a preview of all', [delta('a'), delta('b'), message('ab', { streamed: true })], ['a', 'b'], ['ab']],
    ['a preview of some', [delta('a'), message('ab')], ['a', 'b'], ['ab']],
    ['a preview with a space too many', [delta('a '), message('a')], ['a '], ['a']],
    ['a preview of something else', [delta('x'), message('ab')], ['x', '\n\nab'], ['ab']],
    ['a second preview', [message('a'), delta('b'), message('b')], ['a', '\n\nb'], ['a', '\n\nb']],
    [
      'a message after one that broke off',
      [...broken, delta('a'), message('a')],
      ['x', ' […]', '\n\na'],
      ['a'],
    ],
    ['an answer that broke off', [...broken, end('')], ['x', ' […]'], []],
    ['a preview without a message', [delta('a'), end('')], ['a'], ['a']],
    ['nothing but an end', [end('a')], ['a'], ['a']],
    ['nothing', [end('')], [], []],
    ['progress', [{ type: 'progress', text: 'hm' }, message('a')], ['a'], ['a']],
  ])('is %s', (_what, events, live, whole) => {
    expect(told(true, events)).toEqual(live);
    expect(told(false, events)).toEqual(whole);
  });

  it('names files by an address, whatever they are called', () => {
    const media = [
      { kind: 'image', url: '/api/media/1', name: 'a]b.png' },
      { kind: 'file', url: 'https://there/x', name: 'x' },
    ];
    expect(told(true, [message('see', { media })])).toEqual([
      'see',
      '\n\n![a b.png](http://here/api/media/1)\n[x](https://there/x)',
    ]);
    expect(told(true, [delta('see'), message('see', { media: media.slice(1), streamed: true })])).toEqual([
      'see',
      '\n\n[x](https://there/x)',
    ]);
  });
});
