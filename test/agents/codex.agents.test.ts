import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Ask, open } from '@plugboard/host';
import { createTurn, type Event } from '@plugboard/protocol';
import { until } from '@plugboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { describeAgent } from './scenarios.ts';
import type { Scene } from './scene.ts';

const of = <Type extends Event['type']>(events: readonly Event[], type: Type) =>
  events.filter((event): event is Extract<Event, { type: Type }> => event.type === type);

/** The same program as `codex exec`. */
function openExec({ profile }: Scene) {
  const agent = open({ ...profile, dialect: 'codex/exec' }, { environment: process.env });
  onTestFinished(() => agent.close({ graceMs: 500 }));
  return async (text: string, agentId?: string) => {
    const session = { key: 'exec', ...(agentId === undefined ? {} : { agentId }) };
    const run = agent.run(createTurn({ id: `exec-${text}`, text, session }));
    const events: Event[] = [];
    for await (const event of run) events.push(event);
    return { events, end: await run.result };
  };
}

describeAgent('codex', (scene) => {
  it('shows what a command prints while it runs', async () => {
    const ask: Ask = async () => ({ by: 'ada', via: 'person', option: 'accept' });
    const command = 'sleep 1; echo middle; sleep 1; echo late';
    const { events } = await scene().open().run(`run ${command}`, { ask });
    const [update] = of(events, 'tool-update');
    expect(update?.content).toEqual([{ type: 'output', output: 'middle\n' }]);
    expect(of(events, 'tool-result')[0]?.content).toBe('middle\nlate\n');
  });

  it('asks once about a command that is allowed for the session', async () => {
    const { run } = scene().open();
    let asked = 0;
    const ask: Ask = async () => {
      asked += 1;
      return { by: 'ada', via: 'person', option: 'acceptForSession' };
    };
    await run('run touch made', { ask });
    const { events } = await run('run touch made', { ask });
    expect(asked).toBe(1);
    expect(of(events, 'tool-result')[0]?.isError).toBe(false);
  });

  it('takes the values of a turn, and asks questions of its own in plan mode', async () => {
    const { run } = scene().open();
    const options = { mode: 'plan', effort: 'low', sandbox: 'read-only', approval_policy: 'never' };
    const ask: Ask = async ({ options: labels }) => ({
      by: 'ada',
      via: 'person',
      option: labels.find(({ label }) => label === 'Coffee')?.id ?? '',
    });
    const { events, end } = await run('ask me', { ask, turn: { session: { key: 's', options } } });
    expect(end.text).toContain('Coffee');
    const offered = of(events, 'options').at(-1)?.options;
    expect(offered?.map(({ id, value }) => [id, value])).toEqual([
      ['mode', 'plan'],
      ['model', 'gpt-5.5'],
      ['effort', 'low'],
      ['approval_policy', 'never'],
      ['sandbox', 'read-only'],
    ]);
    const back = { ...options, mode: 'default', approval_policy: 'on-request' };
    expect((await run('hello there', { turn: { session: { key: 's', options: back } } })).end.outcome).toBe(
      'success',
    );
  });

  it('gives a schema to the model', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    const { end } = await scene().open().run('hello there', { turn: { schema } });
    expect(end).toMatchObject({ outcome: 'success', text: 'You said: hello there' });
  });

  it('takes MCP servers of a turn, and says that one has not started', async () => {
    const extensions = { mcp_servers: { none: { command: '/bin/false', args: [] } } };
    const { events, end } = await scene().open().run('hello there', { turn: { extensions } });
    expect(end.outcome).toBe('success');
    const text = expect.stringContaining('The MCP server none has not started.');
    expect(events).toContainEqual({ type: 'log', level: 'warning', source: 'agent', text });
  });

  it('an approval policy that it does not have is an error with its words', async () => {
    const { profile } = scene();
    const settings = { ...profile.settings, approvalPolicy: 'sometimes' };
    const agent = open({ ...profile, settings }, { environment: process.env });
    onTestFinished(() => agent.close({ graceMs: 500 }));
    const { outcome, error } = await agent.run(createTurn({ id: 't', text: 'hi' })).result;
    expect(outcome).toBe('error');
    expect(error?.message).toContain('sometimes');
  });

  it('a configuration that it refuses is an error with the last words of the process', async () => {
    const { profile } = scene();
    const settings = { ...profile.settings, config: { approval_policy: 'sometimes' } };
    const agent = open({ ...profile, settings }, { environment: process.env });
    onTestFinished(() => agent.close({ graceMs: 500 }));
    const { outcome, error } = await agent.run(createTurn({ id: 't', text: 'hi' })).result;
    expect(outcome).toBe('error');
    expect(`${error?.message} ${error?.detail}`).toContain('sometimes');
  });

  it('codex exec answers a turn, ends it before its process, and goes on with the thread', async () => {
    const run = openExec(scene());
    const first = await run('hello there');
    expect(first.end).toMatchObject({ outcome: 'success', text: 'You said: hello there' });
    const id = of(first.events, 'session').at(-1)?.id;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await run('count them', id)).end.text).toBe('There were 2 messages.');
  });

  it('codex exec shows a thought and an error of the model, and refuses what it would have to ask about', async () => {
    const place = scene();
    const run = openExec(place);
    expect(of((await run('think please')).events, 'thinking')).toEqual([
      { type: 'thinking', text: 'I ponder this.' },
    ]);
    const refused = await run('run touch made');
    expect(refused.end).toMatchObject({ outcome: 'success', text: expect.stringContaining('The tool said') });
    expect(existsSync(join(place.workspace, 'made'))).toBe(false);
    expect((await run('error400')).end).toMatchObject({
      outcome: 'error',
      error: { message: expect.stringContaining('scripted 400') },
    });
  });

  it('codex exec does not know a thread of another home', async () => {
    const { end } = await openExec(scene())('hi', '00000000-0000-7000-8000-000000000000');
    expect(end).toMatchObject({ outcome: 'error' });
  });

  it('its commands end when it is closed while one runs', async () => {
    const { agent, run } = scene().open();
    let isRunning = false;
    const onEvent = ({ type }: Event): void => {
      isRunning ||= type === 'tool-call';
    };
    const ask: Ask = async () => ({ by: 'ada', via: 'person', option: 'accept' });
    const ended = run('run sleep 60', { ask, onEvent });
    await until(() => isRunning, 'the command to run', 30_000);
    await agent.close();
    expect((await ended).end.outcome).not.toBe('success');
  });
});
