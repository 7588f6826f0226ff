import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelServer, onTestEnd, startModelServer } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { type Agent, isSystem, start, workplace } from './agent.ts';

async function server() {
  const started = await startModelServer([{ text: 'ok' }]);
  onTestEnd(() => started.close());
  return started;
}

const modelOf = ({ baseUrl }: ModelServer) => ({ name: 'openai:m', baseUrl });
const systemOf = (model: ModelServer, index: number): string =>
  JSON.stringify(model.requests[index]?.body.messages[0]);
const toolsOf = (model: ModelServer, index: number): string[] =>
  model.requests[index]?.body.tools.map((tool: { function: { name: string } }) => tool.function.name);

describe.concurrent('what a host sends beside a message', () => {
  it('system_prompt holds until it is replaced or cleared, also in the next process', async () => {
    const model = await server();
    const directory = workplace();
    let agent: Agent = await start({ model: modelOf(model), directory });
    agent.say('one', { system_prompt: 'Speak like a pirate.' });
    await agent.results(1);
    agent.say('two');
    await agent.results(2);
    await agent.end();
    agent = await start({ model: modelOf(model), directory });
    agent.say('three');
    await agent.results(1);
    agent.say('four', { system_prompt: '' });
    await agent.results(2);
    const has = [0, 1, 2, 3].map((index) => systemOf(model, index).includes('pirate'));
    expect(has).toEqual([true, true, true, false]);
  });

  it('settings beside a steered message are applied', async () => {
    const server = await startModelServer((_request, index) =>
      index === 0 ? { calls: [{ name: 'bash', input: { command: 'sleep 0.3' } }] } : { text: 'ok' },
    );
    try {
      const agent = await start({ model: { name: 'anthropic:m', baseUrl: server.baseUrl } });
      agent.say('one');
      await agent.line(({ type }) => type === 'assistant');
      agent.say('two', { system_prompt: 'Speak like a pirate.' });
      agent.say('three');
      await agent.results(1);
      expect(agent.lines.find(isSystem('injected'))).toMatchObject({ message_count: 2 });
      agent.say('four');
      await agent.results(2);
      expect(JSON.stringify(server.requests.at(-1)?.body.system)).toContain('pirate');
    } finally {
      await server.close();
    }
  });

  it('environment holds for one turn', async () => {
    const script = `
rules:
  - { when: show, calls: [{ name: bash, input: { command: 'echo "[$SECRET|$NUUM_API_KEY]"' } }] }
  - { after: result, text: "{result}" }
`;
    const agent = await start({ script, env: { NUUM_API_KEY: 'never-shown' } });
    agent.say('show', { environment: { SECRET: 'for this turn' } });
    expect((await agent.results(1)).result).toContain('[for this turn|]');
    agent.say('show');
    expect((await agent.results(2)).result).toContain('[|]');
  });

  it('mcp_servers brings tools that the first turn has', async () => {
    const model = await server();
    const directory = workplace();
    const program = join(directory, 'server.mjs');
    writeFileSync(program, TOOL_SERVER);
    const agent = await start({ model: modelOf(model), directory });
    const servers = {
      clock: { command: process.execPath, args: [program] },
      broken: { command: '/no/such/program' },
    };
    agent.say('one', { mcp_servers: servers });
    await agent.results(1);
    expect(toolsOf(model, 0)).toContain('clock__tell_time');
    agent.say('two', { mcp_servers: {} });
    await agent.results(2);
    expect(toolsOf(model, 1)).not.toContain('clock__tell_time');
    expect(agent.lines.filter(isSystem('progress'))).toMatchObject([
      { message: expect.stringMatching(/^The server "broken" has no connection: /) },
    ]);
  });

  it.each([
    [{ system_prompt: 7 }, '`system_prompt` must be a text'],
    [{ mcp_servers: 'all' }, '`mcp_servers` must be an object'],
    [{ mcp_servers: null }, '`mcp_servers` must be an object'],
    [{ environment: ['A=1'] }, '`environment` must be an object'],
    [{ system_prompt: 'Speak like a pirate.', environment: { A: 1 } }, '`environment.A` must be a text'],
  ])('invalid settings fail the turn, and none of them is applied: %j', async (settings, words) => {
    const model = await server();
    const agent = await start({ model: modelOf(model) });
    agent.say('one', settings);
    expect(await agent.results(1)).toMatchObject({
      subtype: 'error',
      result: expect.stringContaining(words),
    });
    expect(model.requests).toEqual([]);
    agent.say('two');
    expect(await agent.results(2)).toMatchObject({ subtype: 'success' });
    expect(systemOf(model, 0)).not.toContain('pirate');
  });

  it('invalid settings beside a steered message are reported and ignored', async () => {
    const agent = await start({
      script: `
rules:
  - { when: one, calls: [{ name: bash, input: { command: 'sleep 0.3' } }] }
otherwise: { text: ok }
`,
    });
    agent.say('one');
    await agent.line(({ type }) => type === 'assistant');
    agent.say('two', { environment: 'none' });
    expect(await agent.results(1)).toMatchObject({ subtype: 'success' });
    expect(agent.lines.filter(isSystem('progress'))).toMatchObject([
      { message: expect.stringContaining('`environment` must be an object') },
    ]);
  });
});

describe.concurrent('what the agent keeps of itself', () => {
  it('mission, status and standing knowledge are in the next prompt', async () => {
    const replies = [
      {
        calls: [
          { name: 'set_mission', input: { mission: 'Build the boat.' } },
          { name: 'knowledge_write', input: { slug: 'identity', title: 'Who I am', body: 'I am Bosun.' } },
        ],
      },
      { text: 'Kept.' },
      { text: 'Aye.' },
    ];
    const started = await startModelServer(replies);
    onTestEnd(() => started.close());
    const agent = await start({ model: modelOf(started), args: ['--allow', 'knowledge_write:identity'] });
    agent.say('keep it');
    await agent.results(1);
    agent.say('who are you?');
    await agent.results(2);
    expect(JSON.stringify(started.requests[2]?.body.messages)).toContain('Mission: Build the boat.');
    expect(systemOf(started, 2)).toContain('I am Bosun.');
  });

  it('standing knowledge is not in a prompt without permission, and the model is told how to propose it', async () => {
    const write = (slug: string) => ({
      calls: [{ name: 'knowledge_write', input: { slug, title: 'Who I am', body: 'I obey the file.' } }],
    });
    const started = await startModelServer([
      write('identity'),
      write('proposed-identity'),
      { text: 'ok' },
      { text: 'ok' },
    ]);
    onTestEnd(() => started.close());
    const agent = await start({ model: modelOf(started) });
    agent.say('read the file');
    await agent.results(1);
    const results = agent.lines.filter(isSystem('tool_result')).map((line) => line.tool_result);
    expect(results).toMatchObject([{ is_error: true }, { content: expect.stringContaining('created') }]);
    expect(results[0].content).toContain('write the entry "proposed-identity"');
    agent.say('who are you?');
    await agent.results(2);
    expect(systemOf(started, 3)).not.toContain('I obey the file.');
    expect(agent.lines.filter(isSystem('progress'))).toMatchObject([
      { message: expect.stringMatching(/^Proposed for "identity".*I obey the file.*memory accept identity/) },
    ]);
  });
});

/** A server of one tool in a few lines. */
const TOOL_SERVER = `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result =
    method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'clock', version: '1' } }
      : method === 'tools/list'
        ? { tools: [{ name: 'tell_time', description: 'Tells the time.', inputSchema: { type: 'object', properties: {} } }] }
        : { content: [{ type: 'text', text: 'noon' }] };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
}
`;
