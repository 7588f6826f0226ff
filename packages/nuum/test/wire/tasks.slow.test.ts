import { startModelServer, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { isResult, isSystem, type Line, start, textsOf, workplace } from './agent.ts';

const isTasks = isSystem('tasks');
const accepted = (lines: readonly Line[]): Line[] => lines.filter(isSystem('turn_accepted'));

describe.concurrent('an alarm', () => {
  const SCRIPT = `
rules:
  - { when: "^wake me (.*)$", calls: [{ name: set_alarm, input: { in: "{1}", note: the tea } }] }
  - { after: result, text: "{result}" }
  - { when: "rings: (.*)", text: "Now: {1}" }
  - { when: work, calls: [{ name: bash, input: { command: "sleep 0.6" } }] }
`;

  it('an alarm begins a turn with an origin, and is in the snapshots', async () => {
    const agent = await start({ script: SCRIPT });
    agent.say('wake me 0s');
    await agent.results(2);
    expect(accepted(agent.lines).map(({ origin }) => origin)).toEqual([undefined, 'alarm']);
    expect(textsOf(agent.lines).at(-1)).toBe('Now: the tea');
    await until(() => agent.lines.filter(isTasks).at(-1)?.tasks.length === 0, 'an empty snapshot');
    const [set] = agent.lines.filter(isTasks);
    expect(set).toMatchObject({
      tasks: [{ type: 'alarm', status: 'pending', description: 'the tea' }],
      session_id: agent.lines[0].session_id,
    });
    expect(set.tasks[0].id).toMatch(/^bgtask_/);
  });

  it('a snapshot comes before the end of the turn that set an alarm, and of the turn in which it rang', async () => {
    const agent = await start({ script: SCRIPT });
    agent.say('wake me 0s');
    await agent.results(2);
    const order = agent.lines
      .filter((line) => isTasks(line) || isResult(line))
      .map((line) => (isResult(line) ? 'end' : line.tasks.length));
    expect(order).toEqual([1, 'end', 0, 'end']);
  });

  it('an alarm waits for the running turn', async () => {
    const agent = await start({ script: SCRIPT });
    agent.say('wake me 0.2s');
    await agent.results(1);
    agent.say('work');
    await agent.results(3);
    expect(accepted(agent.lines).map(({ origin }) => origin)).toEqual([undefined, undefined, 'alarm']);
  });

  it('an alarm survives a kill, and rings at the start when it is overdue', async () => {
    const directory = workplace();
    const first = await start({ script: SCRIPT, directory });
    first.say('wake me 1s');
    await first.results(1);
    first.child.kill('SIGKILL');
    await first.ended;
    const second = await start({ script: SCRIPT, directory });
    expect(await second.line(isTasks)).toMatchObject({ tasks: [{ type: 'alarm' }] });
    await second.results(1);
    expect(accepted(second.lines)).toMatchObject([{ origin: 'alarm' }]);
    await second.end();
    const third = await start({ script: SCRIPT, directory });
    third.say('anything?');
    await third.results(1);
    expect(accepted(third.lines).map(({ origin }) => origin)).toEqual([undefined]);
  });

  it('an alarm whose turn fails stays set', async () => {
    const server = await startModelServer((_request, index) =>
      index === 0
        ? { calls: [{ name: 'set_alarm', input: { in: '0s', note: 'tea' } }] }
        : index === 1
          ? { text: 'Set.' }
          : { status: 401 },
    );
    try {
      const agent = await start({ model: { name: 'openai:m', baseUrl: server.baseUrl } });
      agent.say('wake me');
      expect(await agent.results(2)).toMatchObject({ subtype: 'error' });
      expect(agent.lines.filter(isTasks).at(-1).tasks).toHaveLength(1);
    } finally {
      await server.close();
    }
  });
});

describe.concurrent('a background task', () => {
  const SCRIPT = `
rules:
  - { when: "^look into (.*)$", calls: [{ name: background_research, input: { topic: "{1}" } }] }
  - { when: many, calls: [{ name: background_research, input: { topic: a } }, { name: background_research, input: { topic: b } }, { name: background_research, input: { topic: c } }, { name: background_research, input: { topic: d } }] }
  - { when: "cancel (.*)$", calls: [{ name: cancel_task, input: { id: "{1}" } }] }
  - { when: "has completed", text: "It says: {message}" }
  - { after: result, text: "{result}" }
  - { for: research, when: "", text: "Owls fly.", delay_ms: 500 }
`;

  it('a background task runs beside the conversation and is told in a turn of its own', async () => {
    const agent = await start({ script: SCRIPT });
    agent.say('look into owls');
    await agent.results(1);
    agent.say('hello meanwhile');
    await agent.results(3);
    expect(accepted(agent.lines).map(({ origin }) => origin)).toEqual([undefined, undefined, 'task']);
    expect(textsOf(agent.lines).at(-1)).toContain('Owls fly.');
    expect(agent.lines.filter(isTasks).map(({ tasks }) => tasks.length)).toEqual([1, 0]);
  });

  it('three background tasks run at once', async () => {
    const agent = await start({ script: SCRIPT });
    agent.say('many');
    await agent.results(1);
    const results = agent.lines.filter(isSystem('tool_result')).map(({ tool_result }) => tool_result);
    expect(results.filter(({ is_error }) => is_error === true)).toHaveLength(1);
    expect(Math.max(...agent.lines.filter(isTasks).map(({ tasks }) => tasks.length))).toBe(3);
  });

  it('a cancelled background task says nothing', async () => {
    const agent = await start({ script: SCRIPT });
    agent.say('look into owls');
    await agent.results(1);
    const [{ id }] = (await agent.line(isTasks)).tasks;
    agent.say(`cancel ${id}`);
    await agent.results(2);
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(agent.lines.filter(isResult)).toHaveLength(2);
    expect(agent.lines.filter(isTasks).at(-1).tasks).toEqual([]);
  });
});
