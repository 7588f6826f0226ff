import { readFileSync } from 'node:fs';
import { expect, describe as group, it } from 'vitest';
import { createDistiller } from '../../../src/memory/distil/distiller.ts';
import type { Memory } from '../../../src/memory/memory.ts';
import { openMemory } from '../../../src/memory/open.ts';
import { describeMemory } from '../../../src/memory/privacy/describe.ts';
import { exportMemory } from '../../../src/memory/privacy/export.ts';
import { forgetContent } from '../../../src/memory/privacy/forget.ts';
import { createInbox } from '../../../src/tasks/inbox.ts';
import { keeping, opened, reply, scripted } from '../opened.ts';

const LIMITS = {
  ...{ trigger: 1_500, target: 300, keepLast: 2, stretch: 500, input: 1_500, summary: 150, summaries: 400 },
  ...{ calls: 50, tries: 1 },
};

async function live(memory: Memory, ask = scripted(reply({}))): Promise<void> {
  for (let n = 1; n <= 30; n += 1) {
    memory.messages.append({ kind: 'user', text: `Item ${n} costs ${n * 7} coins. ${'filler '.repeat(20)}` });
    if (n === 5) memory.messages.append({ kind: 'user', text: 'My password is hunter2-Xyzzy, by the way.' });
    if (n === 6) {
      memory.messages.append({
        kind: 'call',
        callId: 'c',
        name: 'bash',
        input: { command: 'login "hunter2-Xyzzy"' },
      });
      memory.messages.append({ kind: 'result', callId: 'c', content: 'welcome, quux-guest', isError: false });
    }
  }
  await createDistiller({ memory, ask, now: () => 0, limits: LIMITS, log: () => {} }).run();
}

/** All bytes of a memory on the disk. */
function bytes(file: string): string {
  return [file, `${file}-wal`].map((path) => readFileSync(path, 'latin1')).join('');
}

group('forgetting a text', () => {
  it('forgetting a text removes it from messages, summaries, knowledge, the present and unused pages of the file', async () => {
    using open = opened();
    const { memory, file } = open;
    await live(
      memory,
      scripted(keeping({ context: 'They said hunter2-xyzzy.', facts: ['HUNTER2-XYZZY works', 'coins'] })),
    );
    memory.knowledge.write({
      slug: 'login',
      title: 'Login',
      body: 'Use hunter2-Xyzzy.',
      expected: 0,
      by: 'agent',
    });
    memory.knowledge.write({ slug: 'login', title: 'Login', body: 'Ask.', expected: 1, by: 'agent' });
    memory.present.set({
      mission: 'Try hunter2-Xyzzy',
      todos: [{ content: 'pending hunter2-Xyzzy', status: 'pending' }],
    });
    expect(bytes(file)).toContain('hunter2-Xyzzy');
    memory.messages.view(100);

    const gone = forgetContent(memory, { text: 'hunter2-xyzzy' });
    expect(gone).toMatchObject({
      messages: [6, 8, 9],
      knowledge: ['login'],
      otherTexts: 2,
      overwritten: true,
    });
    expect(gone.summaries.length).toBeGreaterThan(0);
    expect(bytes(file)).not.toMatch(/hunter2-xyzzy/i);
    expect(bytes(file)).not.toMatch(/xyzzy/i);
    expect(await memory.search.messages({ query: 'hunter2-Xyzzy' })).toEqual([]);
    expect(memory.messages.get(6)).toBeUndefined();
    expect(memory.knowledge.read('login', 1)?.body).toBe('Use [forgotten].');
    expect(memory.present.get()).toMatchObject({
      mission: 'Try [forgotten]',
      todos: [{ status: 'pending' }],
    });
    for (const { facts } of memory.messages.view(10_000).summaries) expect(facts).toEqual(['coins']);
  });

  it('forgetting a text of one or two characters is refused', () => {
    using open = opened();
    expect(() => forgetContent(open.memory, { text: ' e ' })).toThrow('is too short');
  });
});

group('forgetting messages', () => {
  it('forgetting messages deletes their calls and results, and rewrites the summaries', async () => {
    using open = opened();
    const { memory, file } = open;
    await live(memory);
    expect(memory.summaries.counters.coveredTo).toBeGreaterThan(9);
    const before = memory.summaries.counters;
    const gone = forgetContent(memory, { from: 9, to: 9 });
    expect(gone.messages).toEqual([8, 9]);
    expect(bytes(file)).not.toContain('quux');
    forgetContent(memory, { from: 6, to: 6 });
    expect(bytes(file)).not.toMatch(/xyzzy/i);
    expect(memory.summaries.counters).toMatchObject({
      messages: before.messages - 3,
      covered: before.covered - 3,
    });
    expect(memory.messages.view(1).omitted).toBe(before.messages - 3);
    expect(memory.messages.append({ kind: 'note', text: 'next' })).toBe(34);
  });

  it('forgetting all messages of a summary deletes the summary', async () => {
    using open = opened();
    await live(open.memory);
    const { coveredTo } = open.memory.summaries.counters;
    forgetContent(open.memory, { from: 1, to: coveredTo });
    expect(open.memory.messages.view(10_000)).toMatchObject({ summaries: [], omitted: 0 });
    expect(open.memory.summaries.counters.covered).toBe(0);
  });

  it('forgetting messages names the knowledge that was made from them', async () => {
    using open = opened();
    const lesson = { slug: 'coins', title: 'Coins', body: 'They matter.' };
    await live(
      open.memory,
      scripted(keeping({ context: 'Shopping.', facts: [], knowledge: [lesson] }), reply({})),
    );
    expect(forgetContent(open.memory, { from: 2, to: 2 }).knowledgeToCheck).toEqual(['coins']);
    expect(() => forgetContent(open.memory, { from: 5, to: 2 })).toThrow('is no range');
  });
});

it('forgets an entry with all its versions, and keeps what stood under it', () => {
  using open = opened();
  const { knowledge } = open.memory;
  const add = (slug: string, parent: string | null, body: string): unknown =>
    knowledge.write({ slug, parent, title: slug, body, expected: 0, by: 'person' });
  add('top', null, 'x');
  add('secret', 'top', 'plugh-body');
  add('leaf', 'secret', 'y');
  expect(forgetContent(open.memory, { slug: 'secret' })).toMatchObject({ knowledge: ['secret'] });
  expect(knowledge.tree().map(({ path }) => path)).toEqual(['top', 'top/leaf']);
  expect(knowledge.read('secret')).toBeUndefined();
  expect(bytes(open.file)).not.toContain('plugh');
  expect(() => forgetContent(open.memory, { slug: 'secret' })).toThrow('There is no entry "secret".');
});

it('says when another process keeps the old words in the log', () => {
  using open = opened();
  open.memory.messages.append({ kind: 'user', text: 'a secret word' });
  const reader = openMemory(open.file, { now: () => 0, readOnly: true });
  reader.connection.database.exec('begin');
  reader.messages.get(1);
  const limited = open.memory.connection;
  limited.database.exec('pragma busy_timeout = 50');
  expect(forgetContent(open.memory, { text: 'secret word' })).toMatchObject({
    messages: [1],
    overwritten: false,
  });
  reader.close();
});

it('exports everything as lines of JSON', async () => {
  using open = opened();
  await live(open.memory);
  open.memory.settings.set('a', 'b');
  open.memory.messages.append({ kind: 'user', text: 'line\u2028separator\nnewline' });
  open.memory.knowledge.write({ slug: 'k', title: 'K', body: 'one', expected: 0, by: 'person' });
  open.memory.knowledge.write({ slug: 'k', title: 'K', body: 'two', expected: 1, by: 'person' });
  const lines = [...exportMemory(open.memory)];
  for (const line of lines) expect(line.indexOf('\n')).toBe(line.length - 1);
  const parsed = lines.map((line) => JSON.parse(line) as { type: string; body?: string; text?: string });
  const of = (type: string): typeof parsed => parsed.filter((one) => one.type === type);
  expect(parsed[0]).toMatchObject({ type: 'memory', session: open.memory.session });
  expect(of('message')).toHaveLength(open.memory.messages.count);
  expect(of('message').at(-1)).toMatchObject({ text: 'line\u2028separator\nnewline', number: 34 });
  expect(of('summary').length).toBeGreaterThan(0);
  expect(of('knowledge').map(({ body }) => body)).toEqual(['one', 'two']);
  expect(of('setting')).toMatchObject([{ name: 'a', value: 'b' }]);
});

it('exports a message that becomes part of the conversation meanwhile once, and more than a page of them', () => {
  using open = opened();
  const { messages, connection } = open.memory;
  const inbox = createInbox(connection, messages, () => open.clock.now);
  messages.appendAll(Array.from({ length: 500 }, (_, index) => ({ kind: 'user', text: `said ${index}` })));
  const waiting = inbox.put('waits');
  const lines: string[] = [];
  for (const line of exportMemory(open.memory)) {
    lines.push(line);
    if (line.includes('"said 499"')) inbox.take(waiting);
  }
  expect(lines.filter((line) => line.includes('"waits"')).map((line) => JSON.parse(line))).toEqual([
    { type: 'message', kind: 'user', text: 'waits', number: 501, at: open.clock.now },
  ]);
  expect(lines.filter((line) => line.includes('"type":"message"'))).toHaveLength(501);
});

it('describes itself', async () => {
  using open = opened();
  expect(describeMemory(open.memory)).toMatchObject({
    messages: { count: 0 },
    view: { tokens: 0, ratio: 1 },
  });
  await live(open.memory);
  const described = describeMemory(open.memory);
  expect(described).toMatchObject({
    ...{ file: open.file, session: open.memory.session, createdAt: open.clock.now },
    messages: { count: 33, covered: open.memory.summaries.counters.covered },
  });
  expect(described.view.ratio).toBeGreaterThan(2);
  expect(described.bytes.file + described.bytes.log).toBeGreaterThan(20_000);
  expect(described.lastSummaries.length).toBeGreaterThan(0);
});
