import type { JsonObject } from '@plugboard/protocol';
import { expect, it } from 'vitest';
import type { Memory } from '../../src/memory/memory.ts';
import { createMemoryTools } from '../../src/memory/tools/create.ts';
import type { Outcome } from '../../src/tools/tool.ts';
import { opened, reply, scripted } from './opened.ts';

async function use(memory: Memory, name: string, input: JsonObject, turnFrom?: number): Promise<Outcome> {
  const tool = createMemoryTools(memory, { ask: scripted(reply({})), by: 'agent' }).find(
    (one) => one.name === name,
  );
  const parsed = tool?.parse(input);
  if (tool === undefined || parsed === undefined) throw new Error(`no tool ${name}`);
  if (!parsed.ok) return { content: parsed.problem, isError: true };
  const signal = new AbortController().signal;
  const from = turnFrom === undefined ? {} : { turnFrom };
  return tool.run(parsed.input, { signal, directory: '/', environment: {}, log: () => {}, ...from });
}

it('offers every tool with a description and a schema, all of which touch nothing but the memory', () => {
  using open = opened();
  const tools = createMemoryTools(open.memory, { ask: scripted(reply({})), by: 'agent' });
  expect(tools.map(({ name }) => name)).toEqual([
    ...['set_mission', 'set_status', 'update_todos', 'recall', 'recall_message', 'knowledge_list'],
    ...[
      'knowledge_search',
      'knowledge_read',
      'knowledge_write',
      'knowledge_move',
      'knowledge_archive',
      'reflect',
    ],
  ]);
  for (const { description, parameters, effect } of tools) {
    expect(description).not.toBe('');
    expect(parameters).toMatchObject({ type: 'object', properties: expect.anything() });
    expect(effect).toBe('memory');
  }
});

it('sets the present', async () => {
  using open = opened();
  await use(open.memory, 'set_mission', { mission: 'Grow.' });
  await use(open.memory, 'set_status', { status: 'Watering.' });
  const todos = [
    { content: 'Water', status: 'in_progress' },
    { content: 'Harvest', status: 'blocked', reason: 'winter' },
  ];
  expect(await use(open.memory, 'update_todos', { todos })).toEqual({
    ...{ content: 'The list has 2 items, 2 of them open.', isError: false },
  });
  expect(open.memory.present.get()).toEqual({ mission: 'Grow.', status: 'Watering.', todos });
  expect(
    await use(open.memory, 'update_todos', { todos: [{ content: 'x', status: 'maybe' }] }),
  ).toMatchObject({ isError: true });
  expect(await use(open.memory, 'set_mission', { mission: 'x'.repeat(5_000) })).toMatchObject({
    isError: true,
  });
});

it('recalls neither the question nor a lookup, but what was said before them', async () => {
  using open = opened();
  const { messages } = open.memory;
  const lookup = (callId: string): void => {
    messages.append({ kind: 'call', callId, name: 'recall', input: { query: 'otter lunch' } });
  };
  messages.append({ kind: 'user', text: 'The otter has its lunch at noon.' });
  messages.append({ kind: 'assistant', text: 'Noted.' });
  messages.append({ kind: 'user', text: 'When does the otter have its lunch?' });
  lookup('a');
  messages.append({ kind: 'result', callId: 'a', content: '#1 otter lunch at noon', isError: false });
  messages.append({ kind: 'call', callId: 'f', name: 'read', input: { filePath: 'otter-lunch.txt' } });
  const turnFrom = messages.append({ kind: 'user', text: 'And the otter lunch on Sundays?' });
  messages.append({ kind: 'assistant', text: 'I look for otter lunch.' });
  lookup('b');
  for (const query of ['otter lunch', 'tter lunc']) {
    const { content } = await use(open.memory, 'recall', { query }, turnFrom);
    expect(content.match(/^#\d+/gm)?.sort(), query).toEqual(['#1', '#3', '#6']);
  }
  const { content } = await use(open.memory, 'reflect', { question: 'otter lunch?' }, turnFrom);
  expect(content).toContain('message 1 (user)');
  expect(content).not.toMatch(/Sundays|I look for|recall/);
});

it('recalls messages by words, and reads a long one part by part', async () => {
  using open = opened();
  const { messages } = open.memory;
  messages.append({ kind: 'user', text: 'before' });
  messages.append({ kind: 'user', text: `${'a'.repeat(100)} magic ${'b'.repeat(100)}` });
  messages.append({ kind: 'call', callId: 'c', name: 'read', input: { path: '/x' } });
  expect((await use(open.memory, 'recall', { query: 'magic' })).content).toMatch(
    /^#2 2026-03-01 user: .*magic/,
  );
  expect((await use(open.memory, 'recall', { query: 'magic', before: 2 })).content).toContain(
    'Nothing was found',
  );
  const { content } = await use(open.memory, 'recall_message', {
    number: 2,
    offset: 101,
    limit: 5,
    around: 1,
  });
  expect(content.split('\n')).toEqual([
    '#1 2026-03-01 10:00 user: before',
    '#2 2026-03-01 10:00 user (characters 101 to 106 of 207)',
    'magic',
    '… 101 more characters: read on with offset 106.',
    expect.stringMatching(/^#3 2026-03-01 10:00 call: read \{ "path": "\/x" \}$/),
  ]);
  expect(await use(open.memory, 'recall_message', { number: 77 })).toEqual({
    content: 'There is no message 77.',
    isError: true,
  });
});

it('writes, lists, reads, moves and archives knowledge, and tells what stands in the way', async () => {
  using open = opened();
  const { memory } = open;
  const write = (input: JsonObject): Promise<Outcome> =>
    use(memory, 'knowledge_write', { title: 'T', body: 'See [[b]].', ...input });
  expect(await write({ slug: 'a' })).toEqual({
    content: '"a" is created, now at version 1.',
    isError: false,
  });
  expect(await write({ slug: 'b', parent: 'a', body: 'Leaf.' })).toMatchObject({ isError: false });
  expect(await write({ slug: 'a' })).toMatchObject({
    isError: true,
    content: expect.stringContaining('at version 1: read it'),
  });
  expect(await write({ slug: 'a', expected_version: 1, title: 'New' })).toMatchObject({ isError: false });
  expect((await use(memory, 'knowledge_list', {})).content).toBe('a (version 2): New\na/b (version 1): T');
  expect((await use(memory, 'knowledge_list', { pattern: 'a/*' })).content).toBe('a/b (version 1): T');
  expect((await use(memory, 'knowledge_search', { query: 'leaf' })).content).toContain(
    'b (version 1), T: Leaf.',
  );
  expect((await use(memory, 'knowledge_read', { slug: 'a', version: 1 })).content).toContain(
    '# T\n"a", version 1, created by agent',
  );
  expect((await use(memory, 'knowledge_read', { slug: 'a' })).content).toContain('Links to: b');
  const moved = await use(memory, 'knowledge_move', {
    slug: 'b',
    new_slug: 'c',
    parent: null,
    expected_version: 1,
  });
  expect(moved.content).toBe('"c" is moved, now at version 2. These still link to "b": a.');
  expect(await use(memory, 'knowledge_archive', { slug: 'c', expected_version: 1 })).toMatchObject({
    isError: true,
  });
  expect((await use(memory, 'knowledge_archive', { slug: 'c', expected_version: 2 })).content).toBe(
    'Archived: c.',
  );
  expect(await use(memory, 'knowledge_read', { slug: 'nothing' })).toMatchObject({ isError: true });
  await write({ slug: 'long', body: `${'x'.repeat(16_000)}the end` });
  expect((await use(memory, 'knowledge_read', { slug: 'long' })).content).toContain(
    '7 more characters: read on with offset 16000',
  );
  expect((await use(memory, 'knowledge_read', { slug: 'long', offset: 16_000 })).content).toMatch(/the end$/);
});

it('reflects', async () => {
  using open = opened();
  open.memory.messages.append({ kind: 'user', text: 'The cat is called Mittens.' });
  expect((await use(open.memory, 'reflect', { question: 'What is the cat called?' })).content).toContain(
    'Mittens',
  );
});

it('asks a policy about the entries that stand in every prompt, under the old name and the new one', () => {
  using open = opened();
  const tools = createMemoryTools(open.memory, { ask: scripted(reply({})), by: 'agent' });
  const subjects = (name: string, input: JsonObject) =>
    tools.find((one) => one.name === name)?.subjects(input, '/');
  const entry = [{ kind: 'entry', value: 'identity' }];
  expect(subjects('knowledge_write', { slug: 'identity', title: 't', body: 'b' })).toEqual(entry);
  expect(subjects('knowledge_move', { slug: 'x', new_slug: 'identity', expected_version: 1 })).toEqual(entry);
  expect(subjects('knowledge_archive', { slug: 'identity', expected_version: 1 })).toEqual(entry);
  expect(subjects('knowledge_write', { slug: 'boats', title: 't', body: 'b' })).toEqual([]);
});
