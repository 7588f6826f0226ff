import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesWith, startModelServer, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { isResult, isSystem, type Line, launch, start, textsOf, workplace } from './agent.ts';

const isCall = ({ type, message }: Line): boolean =>
  type === 'assistant' && message.content[0].type === 'tool_use';
const line = (content: string, more = {}): string =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content }, ...more })}\n`;

/** A server of tools that starts and says nothing. */
const HANGING = { mcp_servers: { slow: { command: 'sleep', args: ['60'] } } };

describe.concurrent('a host', () => {
  it('a thousand messages in one write are each accepted and answered once', async () => {
    const agent = await start({ script: 'otherwise: { text: ok }' });
    const count = 1_000;
    agent.raw(Array.from({ length: count }, (_, n) => line(`m${n}`)).join(''));
    await agent.end();
    const accepted = agent.lines.filter(isSystem('turn_accepted')).length;
    const injected = agent.lines.filter(isSystem('injected')).map(({ message_count }) => message_count);
    expect(accepted + injected.reduce((sum, one) => sum + one, 0)).toBe(count);
    expect(agent.lines.filter(isResult)).toHaveLength(accepted);
  });

  it('a host that stops reading stderr does not end the agent', async () => {
    const agent = await start({ script: 'otherwise: { text: ok }' });
    agent.child.stderr?.destroy();
    for (let count = 0; count < 3; count++) agent.say('go', { mcp_servers: { [`junk${count}`]: 5 } });
    expect(await agent.results(1)).toMatchObject({ subtype: 'success' });
    expect((await agent.end()).code).toBe(0);
  });

  it('a line that is too long is reported to the host', async () => {
    const agent = await start({ script: 'otherwise: { text: ok }' });
    agent.raw(`${'x'.repeat(65 * 1024 * 1024)}\n${line('still there?')}`);
    expect((await agent.line(isSystem('error'))).message).toContain('64 MiB');
    expect(await agent.results(1)).toMatchObject({ subtype: 'success' });
  });

  it.each([{ 'A=B': 'x' }, { '': 'x' }, { NUL: 'a\0b' }, { 'N\0': 'x' }, { ten: 10 }])(
    'an invalid environment variable is reported, and the next turn runs: %j',
    async (environment) => {
      const agent = await start({ script: 'otherwise: { text: ok }' });
      agent.say('go', { environment: { GOOD: 'fine', ...environment } });
      const result = await agent.results(1);
      expect(result).toMatchObject({ subtype: 'error', result: expect.stringContaining('`environment.') });
      agent.say('again');
      expect(await agent.results(2)).toMatchObject({ subtype: 'success' });
    },
  );

  it('a system_prompt that is too long is refused, and the one before it stays', async () => {
    const server = await startModelServer(() => ({ text: 'ok' }));
    try {
      const agent = await start({ model: { name: 'openai:m', baseUrl: server.baseUrl } });
      agent.say('one', { system_prompt: 'Be brief.' });
      await agent.results(1);
      agent.say('two', { system_prompt: 'long '.repeat(200_000) });
      expect(await agent.results(2)).toMatchObject({
        subtype: 'error',
        result: expect.stringContaining('system_prompt'),
      });
      agent.say('three');
      expect(await agent.results(3)).toMatchObject({ subtype: 'success' });
      const sent = JSON.stringify(server.requests.at(-1)?.body);
      expect(sent).toContain('Be brief.');
      expect(sent).toContain('two');
    } finally {
      await server.close();
    }
  });
});

describe.concurrent('a turn that waits for servers of tools', () => {
  it('a turn that waits for MCP servers ends when it is interrupted, and leaves the next one alone', async () => {
    const agent = await start({ script: 'otherwise: { text: "You said: {message}" }' });
    agent.say('one', HANGING);
    await agent.line(isSystem('turn_accepted'));
    agent.control('interrupt');
    agent.say('two', { mcp_servers: {} });
    agent.say('three');
    await until(() => textsOf(agent.lines).join(' ').includes('three'), 'an answer', 9_000);
    await agent.results(2);
    expect(agent.lines.filter(isResult).map(({ subtype }) => subtype)).toEqual(['cancelled', 'success']);
    expect(agent.lines.filter(isSystem('turn_accepted'))).toHaveLength(2);
  });

  it.each(['its message', 'the configuration'])(
    'a turn that waits for MCP servers of %s does not keep the agent from ending',
    async (of) => {
      const directory = workplace();
      const mark = `nuum-slow-${process.pid}-${Date.now()}`;
      const mcp_servers = { slow: { command: 'sleep', args: ['60'], env: { MARK: mark } } };
      const inMessage = of === 'its message';
      writeFileSync(join(directory, 'c.yaml'), inMessage ? '' : JSON.stringify({ mcp_servers }));
      const args = ['--config', 'c.yaml'];
      const agent = await start({ script: 'otherwise: { text: ok }', directory, args });
      agent.say('one', inMessage ? { mcp_servers } : {});
      await until(() => processesWith(mark).length === 1, 'the server');
      const began = performance.now();
      agent.child.kill('SIGTERM');
      expect((await agent.ended).code).toBe(143);
      expect(performance.now() - began).toBeLessThan(4_000);
      expect(agent.lines.filter(isResult)).toMatchObject([{ subtype: 'cancelled' }]);
      expect(processesWith(mark)).toEqual([]);
    },
  );
});

describe.concurrent('a message', () => {
  it('a message whose turn was ended before it began is part of the conversation', async () => {
    const server = await startModelServer([
      { calls: [{ name: 'bash', input: { command: "trap '' TERM; sleep 1" } }] },
      { text: 'ok' },
    ]);
    try {
      const agent = await start({ model: { name: 'openai:m', baseUrl: server.baseUrl } });
      agent.say('one');
      await agent.line(isCall);
      agent.raw(
        `{"type":"control","action":"interrupt"}\n${line('the second')}{"type":"control","action":"interrupt"}\n${line('the third')}`,
      );
      await agent.results(3);
      const asked = JSON.stringify(server.requests.at(-1)?.body);
      expect(asked).toMatch(/the second.*interrupted.*the third/);
    } finally {
      await server.close();
    }
  });

  it('a message is refused when the memory file was replaced', async () => {
    const agent = await start({ script: 'otherwise: { text: ok }' });
    agent.say('one');
    await agent.results(1);
    rmSync(join(agent.directory, 'memory.db'));
    agent.say('two');
    expect((await agent.line(isSystem('error'))).message).toMatch(/was not taken.*deleted/);
    writeFileSync(join(agent.directory, 'memory.db'), '');
    agent.say('three');
    await until(() => agent.lines.filter(isSystem('error')).length === 2, 'a second refusal');
    expect(agent.lines.filter(isResult)).toHaveLength(1);
    expect((await agent.end()).code).toBe(0);
  });
});

describe.concurrent('a hundred alarms', () => {
  it('a hundred alarms of one moment are told in a few turns and snapshots', async () => {
    const calls = Array.from(
      { length: 100 },
      (_, n) => `{ name: set_alarm, input: { in: 0s, note: n${n}. } }`,
    );
    const script = `steps: [{ calls: [${calls.join(', ')}] }]\notherwise: { text: "{message}" }`;
    const agent = await start({ script });
    agent.say('go');
    await until(() => agent.lines.filter(isSystem('tasks')).at(-1)?.tasks.length === 0, 'all told');
    const told = textsOf(agent.lines).join('\n');
    for (let n = 0; n < 100; n++) expect(told).toContain(`rings: n${n}.`);
    const turns = agent.lines.filter(isSystem('turn_accepted')).filter(({ origin }) => origin === 'alarm');
    expect(turns.length).toBeLessThanOrEqual(12);
    expect(agent.lines.filter(isSystem('tasks')).length).toBeLessThan(40);
  });
});

describe.concurrent('a configuration', () => {
  it.each([
    ['limits: { steps: .nan }', 'limits.steps must be'],
    ['limits: { steps: 0 }', 'limits.steps must be'],
    ['limits: { view: .inf }', 'limits.view must be'],
    ['limits: { tasks: 1.5 }', 'limits.tasks must be'],
    ['limits: []', 'limits must be a map'],
    ['model: 5', 'model must be text'],
    ['allow: bash', 'allow must be a list'],
    ['- a', 'must be a map'],
    ['a: [', 'cannot be read'],
    ['base_url: not an address', 'base_url'],
  ])('a configuration with %j is refused with a reason', async (text, words) => {
    const directory = workplace();
    writeFileSync(join(directory, 'c.yaml'), text);
    const agent = launch({ directory, args: ['--config', 'c.yaml'] });
    expect((await agent.ended).code).toBe(2);
    expect(agent.stderr()).toContain(words);
    expect(agent.stderr()).not.toContain('    at ');
  });
});

describe.concurrent('a memory', () => {
  it('a memory in a directory that cannot be made ends the program with a sentence', async () => {
    const directory = workplace();
    writeFileSync(join(directory, 'file'), '');
    const agent = launch({ directory, db: join(directory, 'file', 'deep', 'a.db') });
    expect((await agent.ended).code).toBe(1);
    expect(agent.stderr()).toContain('not a directory');
    expect(agent.stderr()).not.toContain('    at ');
  });
});

describe.concurrent('a working directory', () => {
  it('a working directory that does not exist is a usage error', async () => {
    const agent = launch({ args: ['-C', 'nowhere'] });
    expect((await agent.ended).code).toBe(2);
    expect(agent.stderr()).toContain('nowhere');
  });
});

describe.concurrent('a home', () => {
  it.each(['', 'relative'])('a home of %j is not looked for below the working directory', async (HOME) => {
    const directory = workplace();
    const agent = launch({ script: 'otherwise: { text: ok }', directory, env: { HOME } });
    await agent.line(() => true);
    expect((await agent.end()).code).toBe(0);
  });
});

describe.concurrent('a rule', () => {
  it('a rule that matches no tool is reported at the start, unless a server may bring one', async () => {
    const args = ['--deny', 'bsah', '--allow', 'read:src/**', '--deny', 'github__*', '--ask', 'web*'];
    const agent = await start({ script: 'otherwise: { text: ok }', args });
    await agent.end();
    expect(agent.stderr()).toContain('--deny bsah');
    expect(agent.stderr()).not.toMatch(/github__|read:|web/);
  });
});
