import { methods } from '@agentclientprotocol/sdk';
import { PLUGBOARD, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { choose, type Editor, type Person, startEditor } from './editor.ts';
import { type Home, home, say, slowAgent, type Up } from './gateway.ts';

const mark = (name: string): string => `plugboard-editor-${process.pid}-${name}`;

/** An editor whose agent is the gateway of this place. */
async function editorAt(place: Home, agent?: string, person: Person = {}): Promise<Editor> {
  const chosen = agent === undefined ? [] : ['--agent', agent];
  const command = [...PLUGBOARD, 'serve', '--as', 'acp', '--gateway', '--data', place.data, ...chosen];
  const editor = startEditor(command, { cwd: place.path, env: { PLUGBOARD_TOKEN: '' }, person });
  await editor.initialize();
  return editor;
}

async function sessionsOf(up: Up) {
  const { json } = await up.api<{ sessions: { id: string; place: string; title: string }[] }>(
    'GET',
    '/api/sessions',
  );
  return json.sessions;
}

describe.concurrent('plugboard serve --as acp --gateway', () => {
  it('lets an editor and a phone share one session', async () => {
    await using place = home();
    const up = await place.up();
    const { open, prompt, textOf, updates, close } = await editorAt(place);
    const session = await open();
    expect(await prompt(session, 'one')).toBe('end_turn');
    expect(textOf(session)).toBe('You said: one');
    const [shared] = await sessionsOf(up);
    expect(shared).toMatchObject({ title: 'one', place: expect.stringContaining(session) });
    await until(
      () => updates.some(({ update }) => update.sessionUpdate === 'session_info_update'),
      'the title of the session',
    );
    await up.api('POST', `/api/sessions/${shared?.id}/messages`, { text: 'from the phone' });
    await until(() => textOf(session).includes('You said: from the phone'), 'the answer to the phone');
    expect(textOf(session, 'agent_thought_chunk')).toContain('operator: from the phone');
    expect(await prompt(session, 'two')).toBe('end_turn');
    expect(textOf(session)).toContain('You said: two');
    expect(await close()).toBe(0);
  });

  it('lists what people have said to the gateway, and loads it', async () => {
    await using place = home();
    const up = await place.up();
    const said = await say(up, 'said on the page');
    await said.hears('the answer', ({ type }) => type === 'end');
    const { agent, prompt, textOf, close } = await editorAt(place);
    const listed = await agent.request<{ sessions: object[] }>(methods.agent.session.list, { cwd: '/work' });
    expect(listed.sessions).toMatchObject([{ sessionId: said.id, cwd: '/work', title: 'said on the page' }]);
    const request = { sessionId: said.id, cwd: '/work', mcpServers: [] };
    await agent.request(methods.agent.session.load, request);
    expect(textOf(said.id, 'user_message_chunk')).toBe('said on the page');
    expect(textOf(said.id)).toBe('You said: said on the page');
    expect(await prompt(said.id, 'more')).toBe('end_turn');
    expect(textOf(said.id)).toContain('You said: more');
    for (const sessionId of ['none', 'new-00000000-0000-0000-0000-000000000000']) {
      const missing = agent.request(methods.agent.session.load, { ...request, sessionId });
      await expect(missing).rejects.toMatchObject({ code: -32002 });
    }
    expect(await sessionsOf(up)).toHaveLength(1);
    expect(await close()).toBe(0);
  });

  it('asks the person in the editor what an agent asks', async () => {
    await using place = home();
    await place.up();
    const editor = await editorAt(place, 'demo-resident', choose('allow'));
    const session = await editor.open();
    expect(await editor.prompt(session, 'delete a.txt')).toBe('end_turn');
    expect(editor.textOf(session)).toContain('I would delete a.txt now.');
    expect(await editor.close()).toBe(0);
  });

  it('takes a question back that was answered on the phone', async () => {
    await using place = home();
    const up = await place.up();
    const asked = Promise.withResolvers<void>();
    const never: Person = {
      permission() {
        asked.resolve();
        return new Promise<never>(() => {});
      },
    };
    const editor = await editorAt(place, 'demo-resident', never);
    const session = await editor.open();
    const running = editor.prompt(session, 'delete a.txt');
    await asked.promise;
    const { json } = await up.api<{ asks: { id: string }[] }>('GET', '/api/asks?state=open');
    await up.api('POST', `/api/asks/${json.asks[0]?.id}`, { option: 'allow' });
    expect(await running).toBe('end_turn');
    expect(editor.textOf(session)).toContain('I would delete a.txt now.');
    expect(await editor.close()).toBe(0);
  });

  it('stops a turn that the editor cancels, with the prompts that wait', async () => {
    await using place = home(`agents:\n  slow: ${slowAgent(mark('stop'))}\n`);
    await place.up();
    const { agent, open, prompt, textOf, close } = await editorAt(place);
    const session = await open();
    const running = prompt(session, 'one');
    await until(() => textOf(session).includes('begun'), 'the first chunk');
    const waiting = prompt(session, 'two');
    await agent.notify(methods.agent.session.cancel, { sessionId: session });
    expect(await Promise.all([running, waiting])).toEqual(['cancelled', 'cancelled']);
    expect(await close()).toBe(0);
  });

  it('tells the person that a restart has interrupted the turn, and once that the gateway is away', async () => {
    await using place = home(`agents:\n  slow: ${slowAgent(mark('interrupted'), 60)}\n`);
    const up = await place.up();
    const editor = await editorAt(place);
    const session = await editor.open();
    const other = await editor.open();
    const running = editor.prompt(session, 'one');
    await until(() => editor.textOf(session).includes('begun'), 'the first chunk');
    await up.end('SIGKILL');
    await until(() => editor.stderr.includes('does not answer'), 'the editor to be told');
    editor.prompt(other, 'two').catch(() => {});
    await place.up();
    expect(await running).toBe('cancelled');
    expect(editor.textOf(session)).toContain(
      'The turn was interrupted: the gateway stopped while it was running.',
    );
    expect(editor.stderr.split('does not answer')).toHaveLength(2);
    await editor.close();
  });

  it('leaves a turn to the gateway when the editor closes', async () => {
    await using place = home(`agents:\n  slow: ${slowAgent(mark('leave'), 2)}\n`);
    const up = await place.up();
    const { open, prompt, textOf, close } = await editorAt(place);
    const session = await open();
    prompt(session, 'one').catch(() => {});
    await until(() => textOf(session).includes('begun'), 'the first chunk');
    expect(await close()).toBe(0);
    const [shared] = await sessionsOf(up);
    await until(async () => {
      const { json } = await up.api<{ turns: { state: string }[] }>(
        'GET',
        `/api/sessions/${shared?.id}/turns`,
      );
      return json.turns[0]?.state === 'success';
    }, 'the end of the turn');
    const later = await editorAt(place);
    await later.agent.request(methods.agent.session.load, {
      sessionId: session,
      cwd: '/work',
      mcpServers: [],
    });
    expect(later.textOf(session)).toContain('done');
    expect(await later.close()).toBe(0);
  });

  it('says in a sentence what it cannot do', async () => {
    await using place = home();
    const none = await place.run(['serve', '--as', 'acp', '--gateway']);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('No gateway is running here.') });
    const other = await place.run(['serve', '--as', 'nuum', '--gateway']);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('add --as acp') });
  });
});
