import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import {
  methods,
  type NewSessionResponse,
  type SetSessionConfigOptionResponse,
} from '@agentclientprotocol/sdk';
import {
  CODER,
  PLUGBOARD,
  processesWith,
  SCRIPTED_CLAUDE,
  SHOWCASE,
  temporaryDirectory,
  until,
} from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { choose, type Editor, startEditor } from './editor.ts';

type Start = typeof startEditor;

/** An agent written with the SDK, found out by its first line, and the same one behind a bridge. */
const WAYS: readonly { readonly way: string; readonly command: readonly string[] }[] = [
  { way: 'an agent written with serve()', command: CODER },
  {
    way: 'plugboard serve --as acp',
    command: [...PLUGBOARD, 'serve', '--as', 'acp', '-d', 'agentproc/v4', '--', ...CODER],
  },
];

/** Runs a test with an editor whose agent is initialized, and expects the agent to end when stdin ends. */
async function withEditor(
  start: () => ReturnType<Start>,
  test: (editor: Editor, sessionId: string) => Promise<void>,
): Promise<void> {
  const editor = start();
  try {
    await editor.initialize();
    await test(editor, await editor.open());
    expect(await editor.close()).toBe(0);
  } finally {
    editor.child.kill('SIGKILL');
  }
}

describe.concurrent.each(WAYS)('an editor with $way', ({ command }) => {
  it('initializes it, opens a session and streams a plain turn', async () => {
    const editor = startEditor(command);
    const said = await editor.initialize();
    expect(said).toMatchObject({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: false,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        sessionCapabilities: { resume: {}, close: {} },
      },
      authMethods: [],
    });
    const session = await editor.open();
    expect(await editor.prompt(session, 'stream')).toBe('end_turn');
    expect(editor.textOf(session)).toBe('One two three');
    expect(await editor.close()).toBe(0);
  });

  it('asks a person, whose yes and no reach the agent', async () => {
    const answers = ['allow', 'deny'];
    const person = {
      permission: () => ({ outcome: { outcome: 'selected' as const, optionId: answers.shift() ?? '' } }),
    };
    await withEditor(
      () => startEditor(command, { person }),
      async ({ prompt, textOf }, session) => {
        await prompt(session, 'ask');
        expect(textOf(session)).toContain('It was allowed.');
        await prompt(session, 'ask');
        expect(textOf(session)).toContain('It was not allowed.');
      },
    );
  });

  it('cancels a turn, and goes on in the session', async () => {
    await withEditor(
      () => startEditor(command),
      async ({ agent, prompt, textOf }, session) => {
        const running = prompt(session, 'slow');
        await until(() => textOf(session).includes('tick'), 'the first chunk');
        await agent.notify(methods.agent.session.cancel, { sessionId: session });
        expect(await running).toBe('cancelled');
        expect(await prompt(session, 'again')).toBe('end_turn');
        expect(textOf(session)).toContain('again');
      },
    );
  });

  it('has two sessions at work at once', async () => {
    await withEditor(
      () => startEditor(command),
      async ({ agent, open, prompt, textOf }, first) => {
        const second = await open();
        const running = prompt(first, 'slow');
        await until(() => textOf(first).includes('tick'), 'the first chunk');
        expect(await prompt(second, 'hello')).toBe('end_turn');
        expect(textOf(second)).toBe('hello');
        expect(textOf(first)).toBe('tick');
        await agent.request(methods.agent.session.close, { sessionId: first });
        expect(await running).toBe('cancelled');
      },
    );
  });

  it('may send a prompt while another runs: both are answered in order', async () => {
    await withEditor(
      () => startEditor(command, { person: choose('allow') }),
      async ({ prompt, textOf }, session) => {
        const order: string[] = [];
        const first = prompt(session, 'ask').then(() => order.push('first'));
        const second = prompt(session, 'second').then(() => order.push('second'));
        await Promise.all([first, second]);
        expect(order).toEqual(['first', 'second']);
        expect(textOf(session)).toMatch(/It was allowed\.[\s\S]*second/);
      },
    );
  });

  it('is told of a turn that failed, of a session that is not there, and of a directory that is none', async () => {
    await withEditor(
      () => startEditor(command),
      async ({ prompt, open }, session) => {
        await expect(prompt(session, 'fail')).rejects.toThrow('It broke.');
        await expect(prompt('nowhere', 'hello')).rejects.toMatchObject({ code: -32002 });
        await expect(open('relative')).rejects.toMatchObject({ code: -32602 });
      },
    );
  });

  it('ends it in the middle of a turn by closing stdin', async () => {
    await withEditor(
      () => startEditor(command),
      async ({ prompt, textOf }, session) => {
        prompt(session, 'slow').catch(() => {});
        await until(() => textOf(session).includes('tick'), 'the first chunk');
      },
    );
  });
});

describe.concurrent('an editor with an agent written with serve()', () => {
  const withCoder = (
    test: (editor: Editor, sessionId: string) => Promise<void>,
    options: Parameters<Start>[1] = {},
    more: readonly string[] = [],
  ) => withEditor(() => startEditor([...CODER, ...more], options), test);

  it('shows its tools, its plan and the files that they are about', () =>
    withCoder(async ({ prompt, updates }, session) => {
      await prompt(session, 'tool');
      expect(updates.map(({ update }) => update)).toMatchObject([
        {
          sessionUpdate: 'tool_call',
          toolCallId: 'call_1',
          title: 'Edit a.txt',
          kind: 'edit',
          status: 'in_progress',
          locations: [{ path: '/work/a.txt', line: 2 }],
          rawInput: { path: '/work/a.txt' },
        },
        { sessionUpdate: 'plan', entries: [{ content: 'Edit a.txt', status: 'in_progress' }] },
        { sessionUpdate: 'tool_call_update', toolCallId: 'call_1', status: 'completed' },
      ]);
    }));

  it('gives it the directory of the session', () =>
    withCoder(async ({ open, prompt, textOf }) => {
      const session = await open('/work');
      await prompt(session, 'where');
      expect(textOf(session)).toBe('/work');
    }));

  it('shows the tool that a question is about', () =>
    withCoder(
      async ({ prompt, updates }, session) => {
        await prompt(session, 'ask');
        const states = updates.flatMap(({ update }) =>
          update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update'
            ? [[update.toolCallId, update.status]]
            : [],
        );
        expect(states).toEqual([
          ['permission-1', 'pending'],
          ['permission-1', 'failed'],
        ]);
      },
      { person: choose('deny') },
    ));

  it('puts its choices and its questions for text in forms', () =>
    withCoder(
      async ({ prompt, textOf }, session) => {
        await prompt(session, 'choose a b');
        await prompt(session, 'name');
        expect(textOf(session)).toContain('It was b.');
        expect(textOf(session)).toContain('It is x.txt.');
      },
      {
        capabilities: { elicitation: { form: {} } },
        person: {
          form: ({ message }) => ({
            action: 'accept',
            content: { answer: message === 'Which one?' ? 'b' : 'x.txt' },
          }),
        },
      },
    ));

  it('asks a choice like a permission where it has no forms', () =>
    withCoder(
      async ({ prompt, textOf }, session) => {
        await prompt(session, 'choose a b');
        await prompt(session, 'name');
        expect(textOf(session)).toContain('It was b.');
        expect(textOf(session)).toContain('It is This needs permission');
      },
      { person: choose('b') },
    ));

  it('takes its question back when the turn is cancelled, and leaves a late answer alone', () => {
    const asked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    return withCoder(
      async ({ agent, prompt }, session) => {
        const running = prompt(session, 'ask');
        await asked.promise;
        await agent.notify(methods.agent.session.cancel, { sessionId: session });
        expect(await running).toBe('cancelled');
        late.resolve();
        expect(await prompt(session, 'hello')).toBe('end_turn');
      },
      {
        person: {
          async permission() {
            asked.resolve();
            await late.promise;
            return { outcome: { outcome: 'selected', optionId: 'allow' } };
          },
        },
      },
    );
  });

  it('sends files, whose bytes the agent reads from disk', () =>
    withCoder(async ({ agent, textOf }, session) => {
      const blob = Buffer.from('some bytes').toString('base64');
      await agent.request(methods.agent.session.prompt, {
        sessionId: session,
        prompt: [
          { type: 'text', text: 'read' },
          { type: 'resource', resource: { uri: 'file:///nowhere/a.bin', blob } },
        ],
      });
      expect(textOf(session)).toBe('a.bin: some bytes');
    }));

  it('offers what the agent offers, and sets it for the turns to come', () =>
    withCoder(async ({ agent, prompt, textOf, updates }, session) => {
      await prompt(session, 'offer');
      const kinds = updates.map(({ update }) => update.sessionUpdate);
      expect(kinds).toEqual(['config_option_update', 'available_commands_update']);
      const request = { sessionId: session, configId: 'model', value: 'big' };
      const { configOptions } = await agent.request<SetSessionConfigOptionResponse>(
        methods.agent.session.setConfigOption,
        request,
      );
      expect(configOptions).toMatchObject([{ id: 'model', type: 'select', currentValue: 'big' }]);
      await prompt(session, 'model');
      expect(textOf(session)).toBe('big');
      const wrong = agent.request(methods.agent.session.setConfigOption, { ...request, value: 'none' });
      await expect(wrong).rejects.toMatchObject({ code: -32602 });
    }));

  it('reads nothing but its messages when the agent prints', () =>
    withCoder(async ({ prompt, textOf }, session) => {
      expect(await prompt(session, 'print')).toBe('end_turn');
      expect(textOf(session)).toBe('Printed.');
    }));

  it('loads a session where the agent keeps what was said: it is replayed before the answer', () =>
    withCoder(
      async ({ agent, textOf, prompt }) => {
        const { sessions } = await agent.request(methods.agent.session.list, {});
        expect(sessions).toEqual([{ sessionId: 'old', cwd: '/work', title: 'Greeting' }]);
        await agent.request(methods.agent.session.load, { sessionId: 'old', cwd: '/work', mcpServers: [] });
        expect(textOf('old', 'user_message_chunk')).toBe('Hello');
        expect(textOf('old')).toBe('Hello to you.');
        expect(await prompt('old', 'more')).toBe('end_turn');
        const missing = { sessionId: 'older', cwd: '/work', mcpServers: [] };
        const loaded = agent.request(methods.agent.session.load, missing);
        await expect(loaded).rejects.toMatchObject({ code: -32002 });
      },
      {},
      ['--history'],
    ));

  it('waits for its other sessions where the agent has one conversation for all', () =>
    withCoder(
      async ({ agent, open, prompt, textOf }, first) => {
        const second = await open();
        const running = prompt(first, 'slow');
        await until(() => textOf(first).includes('tick'), 'the first chunk');
        const waiting = prompt(second, 'hello');
        await agent.notify(methods.agent.session.cancel, { sessionId: first });
        expect(await running).toBe('cancelled');
        expect(await waiting).toBe('end_turn');
        expect(textOf(second)).toBe('hello');
      },
      {},
      ['--one'],
    ));

  it('is refused a session to load where the agent keeps nothing', () =>
    withCoder(async ({ agent }, session) => {
      const request = { sessionId: session, cwd: '/work', mcpServers: [] };
      const loaded = agent.request(methods.agent.session.load, request);
      await expect(loaded).rejects.toMatchObject({ code: -32601 });
      await agent.request(methods.agent.session.resume, request);
    }));
});

it.concurrent('an editor resumes a session in another process, where the agent behind goes on', async () => {
  using home = temporaryDirectory();
  const command = [...PLUGBOARD, 'serve', '--as', 'acp', '-d', 'agentproc', '--', ...SHOWCASE];
  const options = { env: { PLUGBOARD_HOME: home.path, SHOWCASE_STATE: home.path }, cwd: home.path };
  const first = startEditor(command, options);
  await first.initialize();
  const session = await first.open();
  await first.prompt(session, 'count');
  expect(first.textOf(session)).toBe('This is turn 1.');
  expect(await first.close()).toBe(0);
  const second = startEditor(command, options);
  await second.initialize();
  await second.agent.request(methods.agent.session.resume, { sessionId: session, cwd: home.path });
  await second.prompt(session, 'count');
  expect(second.textOf(session)).toBe('This is turn 2.');
  expect(await second.close()).toBe(0);
});

it.concurrent('the agent behind plugboard serve works in the directory of the session', async () => {
  using project = temporaryDirectory();
  const command = [...PLUGBOARD, 'serve', '--as', 'acp', '-d', 'terminal', '--', '/bin/sh', '-c', 'pwd -P'];
  await withEditor(
    () => startEditor(command),
    async ({ open, prompt, textOf }) => {
      const session = await open(project.path);
      await prompt(session, 'hello');
      expect(textOf(session).trim()).toBe(realpathSync(project.path));
    },
  );
});

const hasCompiler = spawnSync('cc', ['--version']).status === 0;

it.skipIf(!hasCompiler)('an agent behind plugboard serve ends when its editor kills plugboard', async () => {
  using place = temporaryDirectory();
  const mark = join(place.path, 'agent');
  const agent = ['/bin/sh', '-c', `echo begun > ${mark}; sleep 60`];
  const command = [...PLUGBOARD, 'serve', '--as', 'acp', '-d', 'terminal', '--', ...agent];
  const editor = startEditor(command, {
    cwd: place.path,
    env: { PLUGBOARD_HOME: join(place.path, 'state') },
  });
  await editor.initialize();
  editor.prompt(await editor.open(), 'hello').catch(() => {});
  await until(() => existsSync(mark), 'the agent to begin');
  editor.child.kill('SIGKILL');
  await until(() => processesWith(mark).length === 0, 'the agent to end');
});

it.concurrent('an editor has the options, the commands and the questions of Claude Code behind plugboard serve', async () => {
  using project = temporaryDirectory();
  const command = [...PLUGBOARD, 'serve', '--as', 'acp', '-d', 'claude', '--', ...SCRIPTED_CLAUDE];
  const env = { SCRIPTED_SESSIONS: project.path };
  const editor = startEditor(command, { cwd: project.path, env, person: choose('allow') });
  try {
    await editor.initialize();
    const { agent, updates } = editor;
    const opened = await agent.request<NewSessionResponse>(methods.agent.session.new, {
      cwd: project.path,
      mcpServers: [],
    });
    const { sessionId } = opened;
    expect(opened.modes?.availableModes.map(({ id }) => id)).toContain('plan');
    expect(opened.configOptions?.map(({ id }) => id)).toEqual(['mode', 'model']);
    await until(
      () => updates.some(({ update }) => update.sessionUpdate === 'available_commands_update'),
      'the commands',
    );
    expect(await editor.prompt(sessionId, 'run echo found')).toBe('end_turn');
    const calls = updates.flatMap(({ update }) =>
      update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update'
        ? [[update.sessionUpdate, update.toolCallId, update.status]]
        : [],
    );
    const [[, id] = []] = calls;
    expect(calls).toEqual([
      ['tool_call', id, 'in_progress'],
      ['tool_call_update', id, 'completed'],
    ]);
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: 'plan' });
    expect(await editor.prompt(sessionId, 'hello')).toBe('end_turn');
    const modes = updates.flatMap(({ update }) =>
      update.sessionUpdate === 'current_mode_update' ? [update.currentModeId] : [],
    );
    expect(modes).toEqual(['plan']);
    expect(await editor.close()).toBe(0);
  } finally {
    editor.child.kill('SIGKILL');
  }
});
