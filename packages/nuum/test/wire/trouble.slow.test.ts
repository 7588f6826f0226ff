import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelReply, onTestEnd, startModelServer, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { isResult, isSystem, type Line, launch, start, textsOf, workplace } from './agent.ts';

async function withServer(replies: readonly ModelReply[]) {
  const server = await startModelServer(replies);
  onTestEnd(() => server.close());
  return { server, agent: await start({ model: { name: 'anthropic:m', baseUrl: server.baseUrl } }) };
}

describe.concurrent('a provider in trouble', () => {
  it.each([
    [{ status: 401, error: 'invalid x-api-key' }, 'refused the key (401): invalid x-api-key'],
    [{ status: 400, error: 'messages: nope' }, 'refused the request (400): messages: nope'],
  ])('a provider in trouble ends the turn with its message: %j', async (reply, words) => {
    const { agent } = await withServer([reply]);
    agent.say('go');
    const result = await agent.results(1);
    expect(result).toMatchObject({ subtype: 'error', is_error: true });
    expect(result.result).toContain(words);
  });

  it('a provider in trouble for a moment only delays the answer', async () => {
    const { agent, server } = await withServer([
      { status: 529 },
      { text: 'Half', cut: 'text' },
      { text: 'Here I am.' },
    ]);
    agent.say('go');
    expect(await agent.results(1)).toMatchObject({ subtype: 'success', result: 'Here I am.' });
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    ['reset', { text: 'Half of it', cut: 'text' }],
    ['without its last event', { text: 'Half of it', short: 'stop' }],
  ] as const)('a stream that ends early is repeated, and the host is told: %s', async (_how, broken) => {
    const { agent, server } = await withServer([broken, { text: 'All of it.' }, { text: 'Yes.' }]);
    agent.say('go');
    expect(await agent.results(1)).toMatchObject({ subtype: 'success', result: 'All of it.' });
    expect(textsOf(agent.lines)).toEqual(['All of it.']);
    expect(agent.lines.filter(isSystem('progress'))).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/broke off.*Trying again in/) }),
    ]);
    agent.say('and?');
    await agent.results(2);
    expect(JSON.stringify(server.requests[2]?.body.messages)).not.toContain('Half');
  });

  it('streams that all end early fail the turn without a word of them', async () => {
    const { agent } = await withServer([
      { text: 'Half of it', cut: 'text' },
      { status: 400, error: 'no' },
    ]);
    agent.say('go');
    expect(await agent.results(1)).toMatchObject({ subtype: 'error' });
    expect(textsOf(agent.lines)).toEqual([]);
  });

  it.each([
    [{ text: 'and so', finish: 'length' }, 'cut off'],
    [{ text: '', finish: 'refusal' }, 'refused to answer'],
    [{}, 'gave no answer'],
  ] as const)('an answer that is cut off is not a success: %j', async (reply, words) => {
    const { agent } = await withServer([reply]);
    agent.say('go');
    expect(await agent.results(1)).toMatchObject({
      subtype: 'error',
      result: expect.stringContaining(words),
    });
  });

  it('a provider that finds the conversation too long is sent less of it', async () => {
    const { agent, server } = await withServer([
      { status: 413, error: 'too large' },
      { text: 'Now it fits.' },
    ]);
    agent.say('x'.repeat(100_000));
    expect(await agent.results(1)).toMatchObject({ subtype: 'success', result: 'Now it fits.' });
    const sizes = server.requests.map(({ body }) => JSON.stringify(body).length);
    expect(sizes).toHaveLength(2);
  });

  it('the tokens of all calls are counted, including the cache', async () => {
    const { agent } = await withServer([
      { calls: [{ name: 'list_tasks', input: {} }], usage: { input: 100, output: 5, cacheRead: 40 } },
      { text: 'Done.', usage: { input: 200, output: 7 } },
    ]);
    agent.say('go');
    const { usage } = await agent.results(1);
    expect(usage).toMatchObject({ input_tokens: 340, output_tokens: 12, cache_read_input_tokens: 40 });
  });

  it('the tokens of a turn that failed later are counted', async () => {
    const { agent } = await withServer([
      { calls: [{ name: 'list_tasks', input: {} }], usage: { input: 100, output: 5 } },
      { status: 400, error: 'enough' },
    ]);
    agent.say('go');
    expect(await agent.results(1)).toMatchObject({
      subtype: 'error',
      usage: { input_tokens: 100, output_tokens: 5 },
    });
  });

  it('the tokens of an answer that was cut off are counted', async () => {
    const { agent } = await withServer([
      { text: 'and so', finish: 'length', usage: { input: 9, output: 2 } },
    ]);
    agent.say('go');
    expect(await agent.results(1)).toMatchObject({
      subtype: 'error',
      usage: { input_tokens: 9, output_tokens: 2 },
    });
  });

  it('the tokens of an interrupted turn are counted as far as they are known', async () => {
    const { agent, server } = await withServer([
      { calls: [{ name: 'list_tasks', input: {} }], usage: { input: 100, output: 5 } },
      { delayMs: 30_000 },
    ]);
    agent.say('go');
    await until(() => server.requests.length === 2, 'the second question');
    agent.control('interrupt');
    expect(await agent.results(1)).toMatchObject({
      subtype: 'cancelled',
      usage: { input_tokens: 100, output_tokens: 5 },
    });
  });

  it('a missing key does not keep the agent from starting, and the first turn says what to set', async () => {
    const agent = await start({ env: { NUUM_MODEL: 'anthropic:m' } });
    agent.say('go');
    expect((await agent.results(1)).result).toContain('NUUM_API_KEY or ANTHROPIC_API_KEY');
  });
});

describe.concurrent('a kill in the middle', () => {
  const CUT = 'rules: [{ when: work, calls: [{ name: bash, input: { command: "sleep 30" } }] }]';

  it('a kill during a tool call leaves a history that the provider accepts', async () => {
    const directory = workplace();
    const first = await start({ script: CUT, directory });
    first.say('work');
    await first.line(({ type }) => type === 'assistant');
    first.say('was I heard?');
    await first.line(isSystem('queued'));
    first.child.kill('SIGKILL');
    await first.ended;
    const { server } = await withServer([{ text: 'Yes.' }]);
    const second = await start({ directory, model: { name: 'anthropic:m', baseUrl: server.baseUrl } });
    second.say('and now?');
    await second.results(1);
    const messages: Line[] = server.requests[0]?.body.messages;
    const all = JSON.stringify(messages);
    expect(all).toContain('There is no result');
    expect(all).toContain('was I heard?');
    expect(all).toContain('could be answered');
    const used = [...all.matchAll(/"type":"tool_use","id":"([^"]+)"/g)].map(([, id]) => id);
    const answered = [...all.matchAll(/"tool_use_id":"([^"]+)"/g)].map(([, id]) => id);
    expect(answered).toEqual(used);
  });

  it('a kill loses no message that was acknowledged', async () => {
    const directory = workplace();
    const acknowledged: string[] = [];
    for (let round = 0; round < 6; round++) {
      const agent = await start({ script: 'otherwise: { text: "ok", delay_ms: 15 }', directory });
      const before = agent.lines.length;
      for (let count = 0; count < 12; count++) agent.say(`message ${round}-${count}.`);
      await new Promise((resolve) => setTimeout(resolve, 20 + round * 35));
      agent.child.kill('SIGKILL');
      await agent.ended;
      const lines = agent.lines.slice(before);
      const taken = lines.filter(
        (line) => isSystem('turn_accepted')(line) || isSystem('queued')(line),
      ).length;
      // Messages are acknowledged in the order they were written; a turn that begins later is one of those queued.
      const queued = lines.filter(isSystem('queued')).length;
      for (let count = 0; count < Math.min(12, queued + (taken > queued ? 1 : 0)); count++)
        acknowledged.push(`message ${round}-${count}.`);
    }
    const last = await start({ script: 'otherwise: { text: ok }', directory, args: ['--quiet'] });
    await last.end();
    const { openMemory } = await import('../../src/memory/open.ts');
    const memory = openMemory(join(directory, 'memory.db'), { now: () => 0, readOnly: true });
    const kept = new Set<string>();
    for (let number = 1; number <= memory.messages.count + 50; number++) {
      const one = memory.messages.get(number);
      if (one?.kind === 'user') for (const text of one.text.split('\n\n')) kept.add(text);
    }
    memory.close();
    expect(acknowledged.length).toBeGreaterThan(5);
    expect(acknowledged.filter((text) => !kept.has(text))).toEqual([]);
  });
});

describe.concurrent('a memory', () => {
  it('a second process on a memory is refused, and told which process has it', async () => {
    const directory = workplace();
    const first = await start({ script: 'otherwise: { text: ok }', directory });
    const second = launch({ script: 'otherwise: { text: ok }', directory });
    expect((await second.ended).code).toBe(1);
    expect(second.stderr()).toContain(`in use by process ${first.child.pid}`);
    expect(second.lines).toEqual([]);
  });

  it('a memory that cannot be opened ends the program with a sentence', async () => {
    const directory = workplace();
    writeFileSync(join(directory, 'text.db'), 'This is no database. '.repeat(100));
    mkdirSync(join(directory, 'folder.db'));
    for (const [name, words] of [
      ['text.db', /not|no/],
      ['folder.db', /folder\.db/],
    ] as const) {
      const agent = launch({ directory, db: join(directory, name) });
      expect((await agent.ended).code).toBe(1);
      expect(agent.stderr()).toMatch(words);
      expect(agent.stderr()).not.toContain('    at ');
    }
    chmodSync(join(directory, 'text.db'), 0o600);
  });
});

describe.concurrent('wrong usage', () => {
  it.each([
    [['--nonsense'], 'nonsense'],
    [['fly'], 'There is no command'],
    [['--deny', 'bash:'], 'bash'],
    [['--config', 'nowhere.yaml'], 'There is no configuration'],
    [['--model', 'script:'], 'names no model'],
  ])('wrong usage is reported in a sentence, with exit code 2: %j', async (args, words) => {
    const agent = launch({ args });
    expect((await agent.ended).code).toBe(2);
    expect(agent.stderr()).toContain(words);
    expect(agent.stderr()).not.toContain('    at ');
  });
});

describe.concurrent('a turn without end', () => {
  it('a turn without end is ended by its limit', async () => {
    const directory = workplace();
    writeFileSync(join(directory, 'config.yaml'), 'limits: { steps: 4 }\n');
    const script =
      'rules: [{ when: "", calls: [{ name: list_tasks }] }, { after: result, calls: [{ name: list_tasks }] }]';
    const agent = await start({ script, directory, args: ['--config', 'config.yaml'] });
    agent.say('go');
    expect(await agent.results(1)).toMatchObject({
      subtype: 'error',
      result: expect.stringContaining('4 steps'),
      num_turns: 4,
    });
    agent.say('still there?');
    await until(() => agent.lines.filter(isResult).length === 2, 'the next turn');
    expect(textsOf(agent.lines)).toEqual([]);
  });
});
