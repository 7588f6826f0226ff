import type { Reply } from '@plugboard/llm';
import { expect, it } from 'vitest';
import type { Memory } from '../../src/memory/memory.ts';
import { answerFromMemory } from '../../src/memory/reflect/reflect.ts';
import type { Ask } from '../../src/model/ask.ts';
import { opened, reply, scripted } from './opened.ts';

const searching = (query: string): Reply =>
  reply({ calls: [{ id: '1', name: 'recall', input: { query } }], finish: 'tool-calls' });

function say({ messages, knowledge }: Memory): void {
  for (let n = 0; n < 50; n += 1) messages.append({ kind: 'user', text: `Chatter ${n} about the weather.` });
  messages.append({ kind: 'user', text: 'The key to the shed hangs behind the clock.' });
  knowledge.write({ slug: 'shed', title: 'Shed', body: 'The shed is green.', expected: 0, by: 'agent' });
}

function asking(memory: Memory, ask: Ask, signal = new AbortController().signal): Promise<string> {
  return answerFromMemory('Where is the key to the shed?', { memory, ask, signal });
}

it('answers with what the model makes of what it found', async () => {
  using open = opened();
  say(open.memory);
  const ask = scripted(searching('key shed'), reply({ text: 'Behind the clock (message 51).' }));
  expect(await asking(open.memory, ask)).toBe('Behind the clock (message 51).');
  const results = ask.asked[1]?.said.at(-1);
  expect(results).toMatchObject({ results: [{ content: expect.stringContaining('#51'), isError: false }] });
});

it.each([
  ['ignores the tools', [reply({ text: 'I think it is lost.' })]],
  ['says nothing', [reply({})]],
  ['fails', [new Error('overloaded')]],
  ['searches, then fails', [searching('clock'), new Error('overloaded')]],
])('answers with what a search finds when the model %s', async (_what, replies) => {
  using open = opened();
  say(open.memory);
  const answer = await asking(open.memory, scripted(...replies));
  expect(answer).toContain('message 51 (user): The key to the shed hangs behind the clock.');
  expect(answer).toContain('knowledge "shed"');
});

it('asks a model that only searches no more than it may, and at last without tools', async () => {
  using open = opened();
  say(open.memory);
  const ask = scripted(searching('weather'));
  expect(await asking(open.memory, ask)).toContain('behind the clock');
  expect(ask.asked).toHaveLength(6);
  expect(ask.asked.map(({ tools }) => tools.length > 0)).toEqual([true, true, true, true, true, false]);
});

it('tells the model what was wrong with a call', async () => {
  using open = opened();
  say(open.memory);
  const calls = [
    { id: '1', name: 'recall', input: {} },
    { id: '2', name: 'launch', input: {} },
    { id: '3', name: 'recall_message', input: { number: 9_999 } },
  ];
  const ask = scripted(reply({ calls }), reply({ text: 'Never mind.' }));
  await asking(open.memory, ask);
  expect(ask.asked[1]?.said.at(-1)).toMatchObject({
    results: [
      { isError: true, content: expect.stringContaining('query') },
      { isError: true, content: expect.stringContaining('There is no tool "launch"') },
      { isError: true, content: 'There is no message 9999.' },
    ],
  });
});

it('says when there is nothing', async () => {
  using open = opened();
  expect(await asking(open.memory, scripted(reply({})))).toContain('Nothing in the memory');
});

it('ends when it is aborted', async () => {
  using open = opened();
  const stop = new AbortController();
  const ask: Ask = async () => {
    stop.abort();
    return searching('x');
  };
  await expect(asking(open.memory, ask, stop.signal)).rejects.toThrow('aborted');
});
