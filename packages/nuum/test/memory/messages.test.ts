import { expect, it } from 'vitest';
import type { Entry } from '../../src/memory/messages/message.ts';
import { opened } from './opened.ts';

const call = (callId: string, input: object = {}): Entry => ({
  kind: 'call',
  callId,
  name: 'bash',
  input: input as never,
});
const result = (callId: string, content = 'ok'): Entry => ({
  kind: 'result',
  callId,
  content,
  isError: false,
});
const user = (text: string): Entry => ({ kind: 'user', text });

it('numbers messages in the order of writing, whatever the clock says', () => {
  using open = opened(Date.parse('2026-08-14T11:19:55Z'));
  const numbers = [open.memory.messages.append(user('a'))];
  open.clock.now -= 86_400_000;
  numbers.push(
    open.memory.messages.append(user('b')),
    ...open.memory.messages.appendAll([user('c'), user('d')]),
  );
  expect(numbers).toEqual([1, 2, 3, 4]);
  const { recent } = open.memory.messages.view(1_000);
  expect(recent.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(open.memory.messages.count).toBe(4);
});

it('gives every kind of entry back as it was', () => {
  using open = opened();
  const entries: Entry[] = [
    { kind: 'user', text: 'wake', origin: 'alarm' },
    { kind: 'assistant', text: '' },
    call('c1', { command: 'ls', deep: { list: [1, null, 'x'] } }),
    { kind: 'result', callId: 'c1', content: 'no such file', isError: true },
    { kind: 'note', text: 'cut off' },
  ];
  const numbers = open.memory.messages.appendAll(entries);
  const back = numbers.map((number) => open.memory.messages.get(number));
  expect(back).toEqual(entries.map((entry, index) => ({ ...entry, number: index + 1, at: open.clock.now })));
});

it('keeps NUL, empty text and separators, and puts U+FFFD for half a character', () => {
  using open = opened();
  const texts = ['', '\0', 'a\0b', '\u2028\u2029\u0085', '😀', 'x\ud800y'];
  const numbers = open.memory.messages.appendAll(texts.map(user));
  const back = numbers.map((number) => open.memory.messages.get(number));
  expect(back.map((one) => (one?.kind === 'user' ? one.text : undefined))).toEqual([
    ...texts.slice(0, 5),
    'x\uFFFDy',
  ]);
  const number = open.memory.messages.append(call('c', { '\udc00': ['\ud800'] }));
  expect(open.memory.messages.get(number)).toMatchObject({ input: { '\uFFFD': ['\uFFFD'] } });
});

it('writes all of several entries or none', () => {
  using open = opened();
  const bad = { kind: 'nonsense', text: 'x' } as unknown as Entry;
  expect(() => open.memory.messages.appendAll([user('a'), bad])).toThrow();
  expect(open.memory.messages.count).toBe(0);
  expect(open.memory.messages.append(user('b'))).toBe(1);
});

it('leaves out the oldest of what does not fit', () => {
  using open = opened();
  for (let n = 1; n <= 50; n += 1) open.memory.messages.append(user(`message ${n} ${'x'.repeat(400)}`));
  const view = open.memory.messages.view(1_200);
  expect(view.recent.at(-1)?.number).toBe(50);
  expect(view.recent.length).toBeGreaterThan(5);
  expect(view.omitted).toBe(50 - view.recent.length);
  expect(view.tokens).toBeLessThanOrEqual(1_200);
});

it('parts no result from its call, wherever the cut falls', () => {
  using open = opened();
  const { messages } = open.memory;
  for (let n = 0; n < 10; n += 1) {
    messages.append(user(`do ${n}`));
    // Models use their ids again.
    messages.appendAll([call('c1'), call('c2')]);
    messages.appendAll([result('c2', 'y'.repeat(100)), result('c1', 'z'.repeat(100))]);
  }
  for (let budget = 60; budget < 900; budget += 7) {
    const { recent } = messages.view(budget);
    const first = recent[0]?.number ?? 0;
    const results = recent.filter(({ kind }) => kind === 'result');
    for (const one of results) {
      const made = recent.findLast(
        (other) =>
          other.kind === 'call' &&
          one.kind === 'result' &&
          other.callId === one.callId &&
          other.number < one.number,
      );
      expect(made, `budget ${budget}, first ${first}`).toBeDefined();
      expect(one.number - (made?.number ?? 0)).toBeLessThanOrEqual(3);
    }
  }
});

it('shows a result without a call as a note', () => {
  using open = opened();
  open.memory.messages.append(result('nobody', 'late'));
  expect(open.memory.messages.view(1_000).recent).toMatchObject([
    { kind: 'note', text: 'The result of an earlier call: late' },
  ]);
});

it('cuts a message that is too long, keeps its ends, and says how to read the rest', () => {
  using open = opened();
  const number = open.memory.messages.append(user(`BEGIN ${'word '.repeat(50_000)} END`));
  open.memory.messages.append(user('What is in it?'));
  const [shown] = open.memory.messages.view(20_000).recent;
  const text = shown?.kind === 'user' ? shown.text : '';
  expect(text).toMatch(/^BEGIN word/);
  expect(text).toMatch(/ END$/);
  expect(text).toContain(`recall_message with number ${number}`);
  expect(text.length).toBeLessThan(20_000);
  expect(open.memory.messages.get(number)).toMatchObject({ text: expect.stringMatching(/ END$/) });
});

it('cuts the input of a call and leaves its fields', () => {
  using open = opened();
  open.memory.messages.append(call('c', { path: '/a/b.ts', content: 'x'.repeat(200_000) }));
  open.memory.messages.append(call('d', { numbers: Array.from({ length: 50_000 }, (_, n) => n) }));
  const [first, second] = open.memory.messages.view(20_000).recent;
  expect(first).toMatchObject({
    input: { path: '/a/b.ts', content: expect.stringContaining('see message 1') },
  });
  expect(second).toMatchObject({ input: { cut: expect.stringContaining('recall_message') } });
});

it('is not bricked by one enormous message', () => {
  using open = opened();
  open.memory.messages.append(user('before'));
  open.memory.messages.append(user('y'.repeat(3_000_000)));
  open.memory.messages.append(user('after'));
  for (const budget of [0, 1, 50, 500, 5_000]) {
    const view = open.memory.messages.view(budget);
    expect(view.omitted + view.recent.length).toBe(3);
    if (budget >= 50) expect(view.recent.at(-1)).toMatchObject({ text: 'after' });
  }
});

it('shows the last step even when it is larger than the budget, cut shorter', () => {
  using open = opened();
  const ids = Array.from({ length: 20 }, (_, n) => `c${n}`);
  open.memory.messages.appendAll(ids.map((id) => call(id)));
  open.memory.messages.appendAll(ids.map((id) => result(id, `${id} ${'long '.repeat(4_000)}`)));
  const view = open.memory.messages.view(10_000);
  expect(view.recent).toHaveLength(40);
  expect(view.tokens).toBeLessThanOrEqual(10_000);
});

it('shows more of what the turn at the end is about', () => {
  using open = opened();
  const lengths = (): number[] =>
    open.memory.messages.view(60_000).recent.map((one) => (one.kind === 'user' ? one.text.length : 0));
  open.memory.messages.append(user('log '.repeat(15_000)));
  expect(lengths()).toEqual([60_000]);
  open.memory.messages.append(user('And?'));
  expect(lengths()[0]).toBeLessThan(20_000);
});

it('tells when the disk is full, keeps what it has, and goes on when there is room again', () => {
  using open = opened();
  const { database } = open.memory.connection;
  open.memory.messages.append(user('kept'));
  const { page_count } = database.prepare('pragma page_count').get() as { page_count: number };
  database.exec(`pragma max_page_count = ${page_count}`);
  expect(() => open.memory.messages.append(user('z'.repeat(100_000)))).toThrow('the disk is full; make room');
  expect(open.memory.messages.count).toBe(1);
  database.exec('pragma max_page_count = 1000000');
  expect(open.memory.messages.append(user('z'.repeat(100_000)))).toBe(2);
});
