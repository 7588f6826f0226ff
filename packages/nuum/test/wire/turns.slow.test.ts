import { processesWith, startModelServer, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { type Agent, isResult, isSystem, type Line, outline, start, textsOf } from './agent.ts';

const isCall = ({ type, message }: Line): boolean =>
  type === 'assistant' && message.content[0].type === 'tool_use';
const isToolResult = isSystem('tool_result');

describe.concurrent('tools', () => {
  it('tool calls are sent before they run, and each result has the id of its call', async () => {
    const script = `
steps:
  - text: I try.
    calls:
      - { name: bash, input: { command: "sleep 0.4; echo done; exit 3" } }
      - { name: read, input: { filePath: script.yaml } }
      - { name: fly, input: { to: x } }
      - { name: read, input: {} }
      - { name: read, input: '{"filePath": "cut' }
  - text: Enough.
`;
    const agent = await start({ script });
    agent.say('go');
    await until(() => agent.lines.filter(isCall).length === 5, 'five calls');
    expect(agent.lines.some((line) => isToolResult(line) && line.tool_result.tool_use_id === 'call_1')).toBe(
      false,
    );
    const result = await agent.results(1);
    const results = agent.lines.filter(isToolResult).map(({ tool_result }) => tool_result);
    expect(new Set(results.map(({ tool_use_id }) => tool_use_id)).size).toBe(5);
    const byId = Object.fromEntries(results.map((one) => [one.tool_use_id, one]));
    expect(byId.call_1).toMatchObject({
      is_error: true,
      content: expect.stringMatching(/done\s+\[exit code 3\]/),
    });
    expect(byId.call_2.is_error).toBeUndefined();
    expect(byId.call_3.content).toBe('There is no tool "fly".');
    expect(byId.call_4.content).toContain('`filePath` is missing');
    expect(byId.call_5.content).toContain('not valid JSON');
    expect(result).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'Enough.',
      usage: { input_tokens: 2, output_tokens: 2 },
    });
  });

  it('tools write only where they may, and say so otherwise', async () => {
    const script = `
steps:
  - calls:
      - { name: write, input: { filePath: ../outside.txt, content: x } }
      - { name: write, input: { filePath: inside.txt, content: x } }
  - text: Done.
`;
    const agent = await start({ script });
    agent.say('write');
    await agent.results(1);
    const results = Object.fromEntries(
      agent.lines.filter(isToolResult).map(({ tool_result: one }) => [one.tool_use_id, one]),
    );
    expect(results.call_1).toMatchObject({
      is_error: true,
      content: expect.stringContaining('outside the working directory'),
    });
    expect(results.call_2.is_error).toBeUndefined();
  });

  it('a call that needs permission is refused with a reason where the host cannot be asked', async () => {
    const script = 'steps: [{ calls: [{ name: bash, input: { command: "echo hi" } }] }, { text: Well. }]';
    const agent = await start({ script, args: ['--ask', 'bash'] });
    agent.say('go');
    await agent.results(1);
    expect(agent.lines.find(isToolResult).tool_result.content).toMatch(/--ask bash.*no way to be asked/);
  });
});

describe.concurrent('what is said while the agent works', () => {
  const SLOW = `
rules:
  - { when: slow, calls: [{ name: bash, input: { command: "sleep 0.5" } }] }
  - { after: result, when: "", text: "After {message}" }
otherwise: { text: "You said: {message}" }
`;

  it('steered messages wait in order, and are taken together before the next step', async () => {
    const agent = await start({ script: SLOW });
    agent.say('slow one');
    await agent.line(isCall);
    for (const text of ['a', 'b', 'c']) agent.say(text);
    await agent.results(1);
    expect(agent.lines.filter(isSystem('queued')).map(({ position }) => position)).toEqual([1, 2, 3]);
    expect(agent.lines.filter(isSystem('injected'))).toMatchObject([{ message_count: 3 }]);
    const taken = agent.lines.findIndex(isSystem('injected'));
    expect(agent.lines.slice(0, taken).some(isToolResult)).toBe(true);
    expect(textsOf(agent.lines)).toEqual(['You said: a\n\nb\n\nc']);
    expect(agent.lines.filter(isResult)).toHaveLength(1);
  });

  it('a message that is too late to steer has a turn of its own', async () => {
    const server = await startModelServer([
      { text: 'first answer', pieceMs: 100 },
      { text: 'second answer' },
    ]);
    try {
      const agent = await start({ model: { name: 'openai:m', baseUrl: server.baseUrl } });
      agent.say('one');
      await until(() => server.requests.length === 1, 'the question');
      agent.say('two');
      await agent.results(2);
      expect(outline(agent.lines).slice(1)).toEqual([
        'turn_accepted',
        'queued',
        'text',
        'result success',
        'turn_accepted',
        'text',
        'result success',
      ]);
      const asked = server.requests[1]?.body.messages
        .map(({ content }: Line) => JSON.stringify(content))
        .join(' ');
      expect(asked.indexOf('first answer')).toBeLessThan(asked.indexOf('two'));
    } finally {
      await server.close();
    }
  });

  it('two messages in one write never run as two concurrent turns', async () => {
    const agent = await start({ script: SLOW });
    const line = (content: string, more = {}) =>
      `${JSON.stringify({ type: 'user', message: { role: 'user', content }, ...more })}\n`;
    agent.raw(line('one', { system_prompt: 'Be brief.', mcp_servers: {} }) + line('two') + line('three'));
    await agent.end();
    let running = 0;
    for (const one of agent.lines) {
      if (isSystem('turn_accepted')(one)) running++;
      if (isResult(one)) running--;
      expect([0, 1]).toContain(running);
    }
    expect(textsOf(agent.lines).join(' ')).toMatch(/two[\s\S]*three/);
  });
});

describe.concurrent('an interrupt', () => {
  const until200 = async (agent: Agent): Promise<Line> => {
    const started = performance.now();
    agent.control('interrupt');
    const result = await agent.results(1);
    expect(performance.now() - started).toBeLessThan(600);
    return result;
  };

  it.each([
    ['a call to the model', { delayMs: 30_000 }],
    ['an answer that is being given', { text: 'on and on and on and on', pieceMs: 1_000 }],
    ['a pause that the provider asked for', { status: 429, headers: { 'retry-after': '30' } }],
  ])('an interrupt ends %s, with one result', async (_what, reply) => {
    const server = await startModelServer([reply]);
    try {
      const agent = await start({ model: { name: 'anthropic:m', baseUrl: server.baseUrl } });
      agent.say('go');
      await until(() => server.requests.length > 0, 'the question');
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await until200(agent)).toMatchObject({ subtype: 'cancelled', is_error: false });
      if ('delayMs' in reply || 'pieceMs' in reply)
        await until(() => server.abandoned() === 1, 'the call to be dropped');
      agent.control('status');
      expect(await agent.line(isSystem('status_response'))).toMatchObject({ running: false });
      expect(agent.lines.filter(isResult)).toHaveLength(1);
    } finally {
      await server.close();
    }
  });

  it('an interrupt ends a command with its children, and the next message is answered', async () => {
    const mark = `nuum-test-${process.pid}-${Date.now()}`;
    const script = `
rules:
  - { when: work, calls: [{ name: bash, input: { command: "MARK=${mark} sh -c 'sleep 60 & sleep 60'" } }] }
otherwise: { text: "You said: {message}" }
`;
    const agent = await start({ script });
    agent.say('work');
    await until(() => processesWith(mark).length >= 2, 'the children');
    agent.control('interrupt');
    agent.control('interrupt');
    agent.say('and now?');
    await agent.results(2);
    expect(agent.lines.filter(isResult).map(({ subtype }) => subtype)).toEqual(['cancelled', 'success']);
    const second = agent.lines.findLastIndex(isSystem('turn_accepted'));
    expect(outline(agent.lines.slice(second))).toEqual(['turn_accepted', 'text', 'result success']);
    await until(() => processesWith(mark).length === 0, 'the children to end');
  });

  it('an interrupt at any moment of a turn makes for one result', async () => {
    const script = `
rules: [{ when: work, calls: [{ name: bash, input: { command: "true" } }] }, { after: result, text: Done. }]
otherwise: { text: ok, delay_ms: 3 }
`;
    const agent = await start({ script });
    agent.say('warm up');
    await agent.results(1);
    for (let round = 0; round < 40; round++) {
      agent.say(round % 2 === 0 ? 'work' : 'talk');
      await new Promise((resolve) => setTimeout(resolve, round / 2));
      agent.control('interrupt');
      if (round % 3 === 0) agent.say('and?');
    }
    await agent.end();
    const turns = agent.lines.filter((line) => isSystem('turn_accepted')(line) || isResult(line));
    expect(turns.map(({ type }) => type === 'result')).toEqual(turns.map((_, index) => index % 2 === 1));
    const endings = new Set(turns.map(({ type, subtype }) => (type === 'result' ? subtype : '')));
    expect(endings).toEqual(new Set(['', 'success', 'cancelled']));
  });

  it('an interrupt leaves waiting messages alone: they become the next turn', async () => {
    const script = 'rules: [{ when: work, calls: [{ name: bash, input: { command: "sleep 30" } }] }]';
    const agent = await start({ script });
    agent.say('work');
    await agent.line(isCall);
    agent.say('kept');
    await agent.line(isSystem('queued'));
    agent.control('interrupt');
    expect((await agent.results(2)).result).toBe('You said: kept');
  });
});

describe.concurrent('the end', () => {
  const SLOW =
    'rules: [{ when: slow, calls: [{ name: bash, input: { command: "sleep 0.4; echo ok" } }] }, { after: result, text: Finished. }]';

  it('the end of input lets the running turn and waiting messages end', async () => {
    const agent = await start({ script: SLOW });
    agent.say('slow');
    await agent.line(isCall);
    expect(await agent.end()).toEqual({ code: 0, signal: null });
    expect(agent.lines.find(isResult)).toMatchObject({ subtype: 'success', result: 'Finished.' });
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('%s cancels the turn, reports it, and leaves nothing running', async (signal, code) => {
    const mark = `nuum-end-${process.pid}-${signal}`;
    const agent = await start({
      script: `rules: [{ when: work, calls: [{ name: bash, input: { command: "MARK=${mark} sleep 60" } }] }]`,
    });
    agent.say('work');
    await until(() => processesWith(mark).length > 0, 'the command');
    agent.child.kill(signal);
    expect((await agent.ended).code).toBe(code);
    expect(agent.lines.filter(isResult)).toMatchObject([{ subtype: 'cancelled' }]);
    expect(processesWith(mark)).toEqual([]);
  });
});
