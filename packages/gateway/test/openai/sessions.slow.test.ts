import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import { worker } from '../harness.ts';
import { type Desk, startDesk } from './client.ts';

const agents = (at: string) => [worker('one', 'agentproc', at)];

/** A client that keeps the conversation and sends all of it, as most do. */
function talk({ client }: Desk, messages: ChatCompletionMessageParam[] = []) {
  return async (content: string): Promise<string> => {
    messages.push({ role: 'user', content });
    const { choices } = await client.chat.completions.create({ model: 'one', messages: [...messages] });
    const [choice] = choices;
    if (choice === undefined) throw new Error('no choice');
    messages.push(choice.message);
    return choice.message.content ?? '';
  };
}

describe('a conversation that a client sends again and again', () => {
  it('goes on in the session of the agent', async () => {
    const desk = await startDesk({ agents });
    const say = talk(desk, [{ role: 'system', content: 'remember' }]);
    expect(await say('a message')).toBe('remember\n\na message');
    expect(await say('remember s1')).toBe('I will.');
    expect(await say('recall')).toBe('s1');
    expect(await say('recall')).toBe('s1');
    expect((await desk.store.sessions.list({ limit: 9 })).length).toBe(1);
  });

  it('also when the answers were streamed', async () => {
    const desk = await startDesk({ agents });
    const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'remember s1' }];
    const first = await desk.client.chat.completions.stream({ model: 'one', messages }).finalMessage();
    const said: ChatCompletionMessageParam[] = [...messages, first, { role: 'user', content: 'recall' }];
    const second = await desk.client.chat.completions.stream({ model: 'one', messages: said }).finalMessage();
    expect(second.content).toBe('s1');
  });

  it('is told to the agent from the beginning when it is changed, or was had elsewhere', async () => {
    const desk = await startDesk({ agents });
    const messages: ChatCompletionMessageParam[] = [
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi!' },
    ];
    expect(await talk(desk, messages)('How are you?')).toBe(
      'Be kind.\n\nThe conversation so far:\n\nUser: Hello\n\nAssistant: Hi!\n\nNow answer this:\n\nHow are you?',
    );
  });

  it('branches into a session of its own where it is asked again', async () => {
    const desk = await startDesk({ agents });
    const messages: ChatCompletionMessageParam[] = [];
    await talk(desk, messages)('remember s1');
    const fork = [...messages];
    expect(await talk(desk, messages)('recall')).toBe('s1');
    expect(await talk(desk, fork)('recall')).toContain('The conversation so far:');
  });

  it('is not found by another token', async () => {
    const desk = await startDesk({ agents });
    const messages: ChatCompletionMessageParam[] = [];
    await talk(desk, messages)('remember s1');
    const client = await desk.clientWith(['chat']);
    expect(await talk({ ...desk, client }, messages)('recall')).toContain('The conversation so far:');
  });
});

describe('a session that a client names', () => {
  const named = { 'X-Plugboard-Session': 'kitchen' };

  it('is given the newest message alone', async () => {
    const desk = await startDesk({ agents });
    expect(await desk.chat('one', 'remember s1', named)).toBe('I will.');
    const { choices } = await desk.client.chat.completions.create({
      model: 'one',
      messages: [
        { role: 'user', content: 'something else' },
        { role: 'assistant', content: 'yes' },
        { role: 'user', content: 'recall' },
      ],
      metadata: { session: 'kitchen' },
    });
    expect(choices[0]?.message.content).toBe('s1');
    expect(await desk.chat('one', 'recall', { 'X-Plugboard-Session': 'attic' })).toBe('nothing');
  });

  it('belongs to its token', async () => {
    const desk = await startDesk({ agents });
    await desk.chat('one', 'remember s1', named);
    const other = await desk.clientWith(['chat']);
    const { choices } = await other.chat.completions.create(
      { model: 'one', messages: [{ role: 'user', content: 'recall' }] },
      { headers: named },
    );
    expect(choices[0]?.message.content).toBe('nothing');
  });

  it('is not answered by an agent that was not asked', async () => {
    const desk = await startDesk({ agents: (at) => [...agents(at), worker('two', 'agentproc', at)] });
    await desk.chat('one', 'remember s1', named);
    const [session] = await desk.store.sessions.list({ limit: 1 });
    await desk.call('PATCH', `/api/sessions/${session?.id}`, { agent: 'two' });
    const asked = desk.chat('one', 'recall', named);
    await expect(asked).rejects.toMatchObject({ status: 409, code: 'session_agent_changed' });
    expect(await desk.chat('two', 'recall', named)).toBe('nothing');
  });

  it('takes several requests one after another', async () => {
    const desk = await startDesk({ agents });
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => desk.chat('one', text, named)));
    expect(answers).toEqual(['a', 'b', 'c']);
  });

  it('takes what is said meanwhile into the running turn, where the agent can', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'nuum', at)] });
    const first = desk.chat('one', 'wait 20000', named);
    const { running } = desk.gateway.engine;
    await expect.poll(() => [...running.values()].some(({ current }) => current !== undefined)).toBe(true);
    await expect
      .poll(async () => (await desk.store.sessions.list({ limit: 1 }))[0]?.lastEvent)
      .toBeGreaterThan(3);
    const second = desk.chat('one', 'enough', named);
    expect(await Promise.all([first, second])).toEqual(['heard: enough', 'heard: enough']);
  });
});
