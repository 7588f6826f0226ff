import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBackend } from './backend.ts';

const read = (path: string) => ({ name: 'read', input: { path } });
const edit = (path: string, old_string: string, new_string: string) => ({
  name: 'edit',
  input: { path, old_string, new_string },
});

describe('proofreading with a local model', () => {
  it('a proof lets the model read and edit the scene, and answers with its summary', async () => {
    await using backend = await openBackend([
      { text: 'I look first.', calls: [read('scenes/dawn.md')] },
      { calls: [edit('scenes/dawn.md', 'the the', 'the')] },
      { text: 'One doubled word.' },
    ]);
    const done = await backend.ask('scene-proof', { paths: ['scenes/dawn.md'], effort: 'low' });
    expect(done).toMatchObject({ text: 'One doubled word.' });
    expect(done.steps).toEqual(['I look first.', 'Reading scenes/dawn.md', 'Correcting scenes/dawn.md']);
    expect(backend.read('scenes/dawn.md')).toBe('Ada locks the door. The mill is silent.\n');
    const [first, second] = backend.server.requests;
    expect(first?.body).toMatchObject({
      model: 'm',
      temperature: 0.3,
      top_p: 0.9,
      repeat_penalty: 1.1,
      max_tokens: 4096,
      chat_template_kwargs: { enable_thinking: false },
      stream: true,
    });
    expect(first?.body.tools.map((one: { function: { name: string } }) => one.function.name)).toEqual([
      'read',
      'edit',
    ]);
    expect(first?.body.messages.at(-1).content).toContain('scenes/dawn.md');
    expect(second?.body.messages.at(-1).content).toContain('Ada locks the the door.');
  });

  it('a proof accepts absolute paths, which some hosts send', async () => {
    await using backend = await openBackend((request, at) => {
      const path = /\/\S+dawn\.md/.exec(request.body.messages[1].content)?.[0] ?? '';
      return at === 0 ? { calls: [edit(path, 'the the', 'the')] } : { text: 'Done.' };
    });
    const path = join(backend.novel.root, 'scenes/dawn.md');
    expect(await backend.ask('chapter-proof', { paths: [path] })).toMatchObject({ text: 'Done.' });
    expect(backend.read('scenes/dawn.md')).not.toContain('the the');
  });

  it('a proof edits no file outside of its paths', async () => {
    await using backend = await openBackend([
      { calls: [edit('scenes/noon.md', 'Bo', 'Beau'), edit('STYLE.md', 'British', 'No')] },
      { text: 'Nothing to do.' },
    ]);
    await backend.ask('scene-proof', { paths: ['scenes/dawn.md'] });
    expect(backend.read('scenes/noon.md')).toContain('Bo waits');
    expect(backend.read('STYLE.md')).toBe('British spelling.\n');
    const told = backend.server.requests[1]?.body.messages
      .slice(-2)
      .map((one: { content: string }) => one.content);
    expect(told).toEqual([
      expect.stringContaining('not among the files to correct'),
      expect.stringContaining('not among the files to correct'),
    ]);
  });

  it('the model cannot call a tool that the operation does not have', async () => {
    await using backend = await openBackend([
      { calls: [edit('scenes/dawn.md', 'the the', 'the'), { name: 'bash', input: { command: 'touch x' } }] },
      { text: 'Well.' },
    ]);
    expect(
      await backend.ask('voice-check', { character_slug: 'ada', paths: ['scenes/dawn.md'] }),
    ).toMatchObject({
      text: 'Well.',
    });
    expect(backend.read('scenes/dawn.md')).toContain('the the');
    expect(existsSync(join(backend.novel.root, 'x'))).toBe(false);
    const told = JSON.stringify(backend.server.requests[1]?.body.messages);
    expect(told).toContain('there is no tool edit. You have: read, grep, glob.');
    expect(told).toContain('there is no tool bash.');
  });

  it('the model cannot read a path outside the project', async () => {
    const secret = '/etc/hostname';
    await using backend = await openBackend([
      {
        calls: [
          '../outside.md',
          secret,
          'scenes/../../outside.md',
          'scenes/link.md',
          '.hidden.md',
          'scenes',
        ].map(read),
      },
      { text: 'I give up.' },
    ]);
    backend.novel.write('outside.md', 'SECRET');
    backend.novel.write('book/.hidden.md', 'SECRET');
    symlinkSync(join(backend.novel.root, '..', 'outside.md'), join(backend.novel.root, 'scenes/link.md'));
    await backend.ask('continuity-ask', { question: 'What is outside?' });
    const told = backend.server.requests[1]?.body.messages
      .slice(-6)
      .map((one: { content: string }) => one.content);
    expect(told.every((content: string) => content.startsWith('Error: '))).toBe(true);
    expect(JSON.stringify(told)).not.toContain('SECRET');
  });
});

describe('a model with bad habits', () => {
  it.each([
    ['arguments that are no JSON', '{"path": "scenes/dawn', 'not valid JSON'],
    ['arguments that are no object', '"scenes/dawn.md"', 'Error: '],
    ['arguments of the wrong kind', '{"path": 7}', 'must be a text'],
  ])('the model gets an error for %s', async (_what, input, told) => {
    await using backend = await openBackend([{ calls: [{ name: 'read', input }] }, { text: 'Sorry.' }]);
    expect(await backend.ask('continuity-ask', { question: 'q' })).toMatchObject({ text: 'Sorry.' });
    expect(backend.server.requests[1]?.body.messages.at(-1).content).toContain(told);
  });

  it('the model may send arguments as an object', async () => {
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const call = {
      index: 0,
      id: 'c',
      type: 'function',
      function: { name: 'read', arguments: { path: 'STYLE.md' } },
    };
    const raw = `${chunk({ content: null, tool_calls: [call] }, null)}${chunk({}, 'tool_calls')}data: [DONE]\n\n`;
    await using backend = await openBackend([{ raw }, { text: 'British.' }]);
    expect(await backend.ask('continuity-ask', { question: 'q' })).toMatchObject({ text: 'British.' });
    expect(backend.server.requests[1]?.body.messages.at(-1).content).toBe('British spelling.\n');
  });

  it.each(['crlf', 'no-space', 'comments', 'bytes'] as const)(
    'the server may stream unusual SSE: %s',
    async (odd) => {
      await using backend = await openBackend([{ text: 'Grüße 😀\u2028 end', odd }]);
      expect(await backend.ask('continuity-ask', { question: 'q' })).toMatchObject({
        text: 'Grüße 😀\u2028 end',
      });
    },
  );

  it('thoughts of the model are not shown', async () => {
    await using backend = await openBackend([
      { thinking: 'secretly', text: '<think>Hm, who?\n</think>\n\nAda has it.' },
    ]);
    expect((await backend.ask('continuity-ask', { question: 'q' })).text).toBe('Ada has it.');
  });

  it('the model may send a line longer than any buffer', async () => {
    const text = 'x'.repeat(300_000);
    await using backend = await openBackend([{ text }]);
    expect((await backend.ask('continuity-ask', { question: 'q' })).text).toBe(text);
  });

  it('a model that never stops calling tools is asked to answer, and then fails', async () => {
    const reply = { calls: [{ name: 'glob', input: {} }] };
    await using backend = await openBackend(() => reply, { NIB_LOCAL_MAX_CALLS: '3' });
    const { error } = await backend.ask('continuity-ask', { question: 'q' });
    expect(error).toContain('gave no answer, after 3 rounds');
    expect(backend.server.requests).toHaveLength(4);
    expect(backend.server.requests[3]?.body.tools).toBeUndefined();
    expect(backend.server.requests[3]?.body.messages.at(-1).content).toContain('Answer now');
  });

  it('a model may answer at the last request, without tools', async () => {
    await using backend = await openBackend(
      ({ body }) =>
        body.tools === undefined ? { text: 'At last.' } : { calls: [{ name: 'glob', input: {} }] },
      { NIB_LOCAL_MAX_CALLS: '2' },
    );
    expect((await backend.ask('continuity-ask', { question: 'q' })).text).toBe('At last.');
  });
});

describe('what goes wrong with the server', () => {
  it.each([
    ['401', [{ status: 401, error: 'bad key' }], /refused the key \(401\): set NIB_LOCAL_API_KEY/],
    ['429', [{ status: 429, error: 'slow down' }], /asks for a pause \(429\): slow down/],
    ['500', [{ status: 500, error: 'oops' }], /in trouble \(500\): oops/],
    ['a broken connection', [{ text: 'a b', cut: 'text' }], /broke off/],
    [
      'a bare error in the stream',
      [{ raw: 'data: {"error":"out of memory"}\n\n' }],
      /broke off: .*out of memory/,
    ],
    ['an error in the stream', [{ text: 'a', streamError: 'out of memory' }], /broke off: .*out of memory/],
    [
      'a long context',
      [{ status: 400, error: 'exceeds the maximum context length' }],
      /too long for the model/,
    ],
    ['an answer cut off', [{ text: 'half an', finish: 'length' }], /cut off: set NIB_LOCAL_MAX_TOKENS/],
    ['no answer', [{ text: '' }], /answered nothing/],
    ['no event stream', [{ raw: 'data: {"broken\n\n' }], /broke off/],
  ] as const)('%s is told', async (_what, replies, message) => {
    await using backend = await openBackend(replies);
    expect((await backend.ask('continuity-ask', { question: 'q' })).error).toMatch(message);
  });

  it('a transient server error is retried', async () => {
    await using backend = await openBackend([{ status: 503 }, { cut: 'before' }, { text: 'Here.' }]);
    expect((await backend.ask('continuity-ask', { question: 'q' })).text).toBe('Here.');
    expect(backend.server.requests).toHaveLength(3);
  });

  it('an unreachable server is not retried', async () => {
    await using backend = await openBackend([], { NIB_LOCAL_ENDPOINT: 'http://127.0.0.1:9/v1' });
    expect((await backend.ask('continuity-ask', { question: 'q' })).error).toBe(
      'The server is not reachable at http://127.0.0.1:9/v1: start it, or set NIB_LOCAL_ENDPOINT.',
    );
  });

  it('an unknown model is reported with the models of the server', async () => {
    await using backend = await openBackend(({ path }) =>
      path.endsWith('/models')
        ? { raw: '{"data":[{"id":"llama"},{"id":"qwen"}]}' }
        : { status: 404, error: 'model "m" not found' },
    );
    expect((await backend.ask('continuity-ask', { question: 'q' })).error).toBe(
      'Model m not found; the server has: llama, qwen. Choose one with NIB_LOCAL_MODEL.',
    );
  });

  it('the key is sent if it is set', async () => {
    await using backend = await openBackend([{ text: 'ok' }], {
      NIB_LOCAL_API_KEY: 'k-1',
      NIB_LOCAL_NO_THINK: 'false',
    });
    await backend.ask('continuity-ask', { question: 'q' });
    expect(backend.server.requests[0]?.headers.authorization).toBe('Bearer k-1');
    expect(backend.server.requests[0]?.body.chat_template_kwargs).toBeUndefined();
  });
});

describe('requests of any host', () => {
  it.each([
    ['scene-proof', {}, 'The request for scene-proof has no `paths`.'],
    ['continuity-ask', {}, 'The request for continuity-ask has no `question`.'],
    ['continuity-index', { schema: {} }, 'The request for continuity-index has no `context`.'],
    [
      'continuity-ask',
      { dir: '/not/there', question: 'q' },
      'The project directory /not/there does not exist.',
    ],
  ])('%s with the fields %j is refused before a model is asked', async (operation, fields, message) => {
    await using backend = await openBackend([]);
    expect((await backend.ask(operation, fields)).error).toBe(message);
    expect(backend.server.requests).toHaveLength(0);
  });

  it('manuscript-search is answered, with the effort max', async () => {
    await using backend = await openBackend([{ text: 'Found.' }]);
    const done = await backend.ask('manuscript-search', {
      paths: ['scenes/dawn.md'],
      question: 'mill',
      effort: 'max',
    });
    expect(done.text).toBe('Found.');
    expect(backend.server.requests[0]?.body.temperature).toBe(0.9);
  });

  it('project-scaffold writes the guide without a model, and keeps an existing one', async () => {
    await using backend = await openBackend([]);
    expect(await backend.ask('project-scaffold', { project_name: 'tide' })).toMatchObject({
      result: { files: ['AGENTS.md'] },
    });
    expect(backend.read('AGENTS.md')).toMatch(/^# tide\n/);
    writeFileSync(join(backend.novel.root, 'AGENTS.md'), 'mine');
    expect(await backend.ask('project-scaffold')).toMatchObject({ result: { files: [] } });
    expect(backend.read('AGENTS.md')).toBe('mine');
    expect(backend.server.requests).toHaveLength(0);
  });
});
