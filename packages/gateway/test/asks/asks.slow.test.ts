import type { Approvals, DialectName } from '@plugboard/host';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { AgentConfig } from '../../src/config/config.ts';
import { worker } from '../harness.ts';
import { type Door, startDoor } from '../http/door.ts';

const APPROVALS: Approvals = { default: 'ask', rules: [], timeoutSecs: 60 };

interface AskView {
  readonly id: string;
  readonly state: string;
  readonly question: { readonly title: string; readonly options: readonly { readonly id: string }[] };
  readonly answer: { readonly by: string; readonly option?: string } | null;
}

/** An agent that may ask. */
function asking(dialect: DialectName, approvals: Partial<Approvals> = {}) {
  return (workspace: string): readonly AgentConfig[] => {
    const config = worker('one', dialect, workspace);
    return [{ ...config, profile: { ...config.profile, approvals: { ...APPROVALS, ...approvals } } }];
  };
}

async function openAsks(door: Door): Promise<AskView[]> {
  const response = await door.call('GET', '/api/asks?state=open');
  return ((await response.json()) as { asks: AskView[] }).asks;
}

/** The one question that is open, once it is. */
async function theAsk(door: Door): Promise<AskView> {
  await until(async () => (await openAsks(door)).length === 1, 'the agent to ask');
  const [ask] = await openAsks(door);
  if (ask === undefined) throw new Error('There is no question.');
  return ask;
}

async function say(door: Door, text: string): Promise<string> {
  const { id } = await door.begin();
  await door.call('POST', `/api/sessions/${id}/messages`, { text });
  return id;
}

/** The events of a session once its turn has ended. */
async function ended(door: Door, session: string) {
  const read = async () =>
    (await door.store.log.read(session, { after: 0, limit: 99 })).map(({ event }) => event);
  await until(async () => (await read()).at(-1)?.type === 'end', 'the turn to end');
  return read();
}

async function answerOf(door: Door, session: string): Promise<string> {
  const end = (await ended(door, session)).at(-1);
  return end?.type === 'end' ? end.text : '';
}

describe.each<DialectName>(['agentproc/v4', 'nuum'])('a question of an agent that speaks %s', (dialect) => {
  it('is answered by a person, and everybody sees by whom', async () => {
    const door = await startDoor({ agents: asking(dialect) });
    const session = await say(door, 'ask rm');
    const ask = await theAsk(door);
    expect(ask).toMatchObject({ state: 'open', question: { title: 'May rm be used?' } });
    const answered = await door.call('POST', `/api/asks/${ask.id}`, { option: 'allow' });
    expect([answered.status, await answered.json()]).toEqual([202, { id: ask.id, option: 'allow' }]);
    expect(await answerOf(door, session)).toBe('rm was allowed');
    expect(await ended(door, session)).toContainEqual({
      type: 'ask-ended',
      id: ask.id,
      outcome: 'answered',
      answer: { by: 'ada', via: 'person', option: 'allow' },
    });
    const view = await (await door.call('GET', `/api/asks/${ask.id}`)).json();
    expect(view).toMatchObject({ state: 'answered', answer: { by: 'ada', option: 'allow' } });
  });

  it('has one answer: the second is told of the first', async () => {
    const door = await startDoor({ agents: asking(dialect) });
    const session = await say(door, 'ask rm');
    const { id } = await theAsk(door);
    await door.call('POST', `/api/asks/${id}`, { option: 'deny', text: 'Not today.' });
    expect(await answerOf(door, session)).toBe('rm was denied: Not today.');
    const second = await door.call('POST', `/api/asks/${id}`, { option: 'allow' });
    expect(second.status).toBe(409);
    expect(await second.json()).toMatchObject({
      error: { message: 'It was answered already with "deny" by ada.' },
    });
  });

  it('tells all who answer at once of the first', async () => {
    const door = await startDoor({ agents: asking(dialect) });
    const session = await say(door, 'ask rm');
    const { id } = await theAsk(door);
    const answers = ['allow', 'deny', 'allow', 'deny', 'allow', 'deny'].map(async (option) => {
      const answer = await door.call('POST', `/api/asks/${id}`, { option });
      return { status: answer.status, option, text: await answer.text() };
    });
    const all = await Promise.all(answers);
    const [first, ...more] = all.filter(({ status }) => status === 202);
    expect(more).toEqual([]);
    for (const { status, text } of all.filter((one) => one !== first))
      expect([status, text]).toEqual([
        409,
        expect.stringContaining(`answered already with \\"${first?.option}\\" by ada.`),
      ]);
    await ended(door, session);
  });

  it('is decided by the rules of the profile where one fits', async () => {
    const rules = [
      { tool: 'git*', decision: 'allow' },
      { tool: 'rm', decision: 'deny' },
    ] as const;
    const door = await startDoor({ agents: asking(dialect, { rules, default: 'ask' }) });
    expect(await answerOf(door, await say(door, 'ask git_status'))).toBe('git_status was allowed');
    expect(await answerOf(door, await say(door, 'ask rm'))).toMatch(/^rm was denied: The profile/);
    expect(await openAsks(door)).toEqual([]);
  });

  it('that nobody answers ends with no, and the turn goes on', async () => {
    const door = await startDoor({ agents: asking(dialect, { timeoutSecs: 0.2 }) });
    const session = await say(door, 'ask rm');
    expect(await answerOf(door, session)).toBe('rm was denied: Nobody answered within 0.2 s.');
    const [ask] = await door.store.asks.list({ limit: 9 });
    expect(ask).toMatchObject({ state: 'expired', answer: { via: 'deadline' } });
    const late = await door.call('POST', `/api/asks/${ask?.id}`, { option: 'allow' });
    expect([late.status, JSON.stringify(await late.json())]).toEqual([
      409,
      expect.stringContaining('Nobody answered in time'),
    ]);
  });

  it('is withdrawn when its turn is stopped', async () => {
    const door = await startDoor({ agents: asking(dialect) });
    const session = await say(door, 'ask rm');
    const { id } = await theAsk(door);
    await door.call('POST', `/api/sessions/${session}/stop`, {});
    await ended(door, session);
    expect(['withdrawn', 'void']).toContain((await door.store.asks.get(id))?.state);
    expect(await openAsks(door)).toEqual([]);
  });

  it('is denied with a reason to a program that asks through the OpenAI routes', async () => {
    const door = await startDoor({ agents: asking(dialect) });
    const response = await door.call('POST', '/v1/chat/completions', {
      model: 'one',
      messages: [{ role: 'user', content: 'ask rm' }],
    });
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
    expect(choices[0]?.message.content).toMatch(/^rm was denied: This conversation is held by a program/);
  });
});

it.concurrent('an agent without approvals in its profile is not offered to ask', async () => {
  const door = await startDoor({ agents: (at) => [worker('one', 'agentproc/v4', at)] });
  expect(await answerOf(door, await say(door, 'ask rm'))).toMatch(/no way to be asked/);
  expect(await door.store.asks.list({ limit: 9 })).toEqual([]);
});

it.concurrent('a choice between named options reaches people, and the one that they choose the agent', async () => {
  const door = await startDoor({ agents: asking('nuum') });
  const session = await say(door, 'choose red green');
  const ask = await theAsk(door);
  expect(ask.question.options.map(({ id }) => id)).toEqual(['red', 'green']);
  const wrong = await door.call('POST', `/api/asks/${ask.id}`, { option: 'blue' });
  expect([wrong.status, JSON.stringify(await wrong.json())]).toEqual([
    400,
    expect.stringContaining('There are: red, green.'),
  ]);
  expect((await door.call('POST', `/api/asks/${ask.id}`, { option: 'green' })).status).toBe(202);
  expect(await answerOf(door, session)).toBe('chosen: green');
});

it.concurrent('only approvers answer, where the profile names them', async () => {
  const door = await startDoor({ agents: asking('agentproc/v4', { approvers: ['grace'] }) });
  const session = await say(door, 'ask rm');
  const { id } = await theAsk(door);
  const refused = await door.call('POST', `/api/asks/${id}`, { option: 'allow' });
  expect([refused.status, JSON.stringify(await refused.json())]).toEqual([
    403,
    expect.stringContaining('Only these may answer for this agent: grace.'),
  ]);
  await door.call('POST', `/api/sessions/${session}/stop`, {});
  await ended(door, session);
});

it.concurrent('questions of agents that a token is not for are not there for it', async () => {
  const door = await startDoor({ agents: asking('agentproc/v4') });
  const session = await say(door, 'ask rm');
  const { id } = await theAsk(door);
  const other = await door.tokenWith(['chat', 'agent:other']);
  const headers = { authorization: `Bearer ${other}` };
  const list = await door.call('GET', '/api/asks', undefined, headers);
  expect(await list.json()).toEqual({ asks: [], next: null });
  const ofSession = await door.call('GET', `/api/asks?session=${session}`, undefined, headers);
  expect(ofSession.status).toBe(404);
  expect((await door.call('GET', `/api/asks/${id}`, undefined, headers)).status).toBe(404);
  expect((await door.call('POST', `/api/asks/${id}`, { option: 'allow' }, headers)).status).toBe(404);
  await door.call('POST', `/api/sessions/${session}/stop`, {});
  await ended(door, session);
});

it.concurrent('a question that was open when the gateway was killed is void after the next start', async () => {
  const door = await startDoor({ agents: asking('agentproc/v4') });
  const session = await say(door, 'ask rm');
  const { id } = await theAsk(door);
  await door.store.turns.recover({ node: 'local', notice: () => undefined });
  expect(await door.store.asks.get(id)).toMatchObject({ state: 'void' });
  await door.call('POST', `/api/sessions/${session}/stop`, {});
});
