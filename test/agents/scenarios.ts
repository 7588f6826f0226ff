import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Ask, openStream, type Profile } from '@plugboard/host';
import { createTurn, type Event } from '@plugboard/protocol';
import { type ModelServer, processesWith, until } from '@plugboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeDoors } from './doors.ts';
import { startScriptedModel } from './model.ts';
import { answering, by, createScene, type Scene } from './scene.ts';
import { AGENTS, type AgentName, commandOf, type RealAgent } from './table.ts';

/** Runs the scenarios with a real program; `more` adds those of its own. */
export function describeAgent(name: AgentName, more?: (scene: () => Scene) => void): void {
  const command = commandOf(name);
  const title = `${AGENTS[name].package} ${AGENTS[name].version}`;
  if ('missing' in command) {
    it(`${title} is there to be tried`, ({ skip }) => {
      if (process.env.CI === 'true') throw new Error(command.missing);
      skip(command.missing);
    });
    return;
  }
  describe(title, () => {
    let model: ModelServer;
    beforeAll(async () => {
      model = await startScriptedModel();
    });
    afterAll(() => model.close());
    const scene = (): Scene => createScene(AGENTS[name], command, model);
    describeTurns(scene, AGENTS[name]);
    describeMessages(scene, AGENTS[name]);
    describeSessions(scene);
    describeDoors(name, scene);
    more?.(scene);
  });
}

function describeTurns(scene: () => Scene, { askedCommand, denied = 'Not today.' }: RealAgent): void {
  const touch = (file: string): string => `run ${askedCommand.replace('FILE', file)}`;

  it('answers a plain turn, whose message was streamed', async () => {
    const { events, end } = await scene().open().run('hello there');
    expect(end).toMatchObject({ outcome: 'success', text: 'You said: hello there' });
    expect(events).toContainEqual(expect.objectContaining({ type: 'message', streamed: true }));
    expect(events.filter(({ type }) => type === 'accepted')).toHaveLength(1);
  });

  it('shows a thought in front of the answer', async () => {
    const { events } = await scene().open().run('think please');
    const types = events.map(({ type }) => type);
    // Gemini CLI writes the title of a thought in front of it.
    const text = expect.stringContaining('I ponder this.');
    expect(events).toContainEqual(expect.objectContaining({ type: 'thinking', text }));
    expect(types.indexOf('thinking')).toBeLessThan(types.indexOf('message'));
  });

  it('runs a tool that was allowed', async () => {
    const { open, workspace } = scene();
    const { events, end } = await open().run(touch('made'), { ask: answering('allow') });
    expect(end.outcome).toBe('success');
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-result', isError: false }));
    expect(existsSync(join(workspace, 'made'))).toBe(true);
  });

  it('does not run a tool that was denied, says so in its result, and goes on', async () => {
    const { open, workspace } = scene();
    const { run } = open();
    const { events, end } = await run(touch('made'), { ask: answering('deny', 'Not today.') });
    expect(end.outcome).toBe('success');
    const result = { type: 'tool-result', isError: true, content: expect.stringContaining(denied) };
    expect(events).toContainEqual(expect.objectContaining(result));
    expect(existsSync(join(workspace, 'made'))).toBe(false);
    expect((await run('hello after')).end.text).toContain('hello after');
  });

  it('a cancel while it asks withdraws the question, and the next turn works', async () => {
    const { run } = scene().open();
    const stop = new AbortController();
    let isWithdrawn = false;
    const ask: Ask = (_question, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          isWithdrawn = true;
          resolve(by({}));
        });
        stop.abort();
      });
    expect((await run(touch('held'), { ask, signal: stop.signal })).end.outcome).toBe('cancelled');
    expect(isWithdrawn).toBe(true);
    expect((await run('hello after')).end.text).toContain('hello after');
  });

  it('a cancel while text streams keeps the text so far, and the process', async () => {
    const { run } = scene().open();
    const stop = new AbortController();
    const onEvent = ({ type }: Event): void => (type === 'delta' ? stop.abort() : undefined);
    const { end } = await run('slow one', { signal: stop.signal, onEvent });
    expect(end.outcome).toBe('cancelled');
    expect(end.text).toMatch(/^(tick\d+ ?)+$/);
    const { events } = await run('hello after');
    expect(events.some(({ type }) => type === 'ready')).toBe(false);
  });

  it('an error of the model is the end of the turn, told once', async () => {
    const { run } = scene().open();
    const { events, end } = await run('error400');
    expect(end).toMatchObject({
      outcome: 'error',
      error: { message: expect.stringContaining('scripted 400') },
    });
    expect(events.filter(({ type }) => type === 'message')).toEqual([]);
    expect((await run('hello after')).end.outcome).toBe('success');
  });

  it('leaves no process behind when it is killed with a tool running', async () => {
    const { path, open } = scene();
    const { agent, run } = open();
    const mark = join(path, 'no-such-file');
    void run(`run tail -f /dev/null ${mark}`, { ask: answering('allow') });
    await until(() => processesWith(mark).length > 0, 'the tool to run', 60_000);
    await agent.close({ graceMs: 0 });
    expect([...processesWith(mark), ...processesWith(path)]).toEqual([]);
  });
}

function describeMessages(scene: () => Scene, { queuesSteering = false }: RealAgent): void {
  it('answers a message that comes during a turn after it', async () => {
    const { run } = scene().open();
    let second: ReturnType<typeof run> | undefined;
    const onEvent = ({ type }: Event): void => {
      if (type === 'delta') second ??= run('hello second');
    };
    const first = await run('hello first', { onEvent });
    expect(first.end).toMatchObject({ outcome: 'success', text: 'You said: hello first' });
    expect((await second)?.end).toMatchObject({ outcome: 'success', text: 'You said: hello second' });
  });

  it(`takes input for a turn whose tool runs ${queuesSteering ? 'into the next turn' : 'into this turn'}`, async () => {
    const { agent, run } = scene().open();
    const later = agent.resident?.unasked();
    let sent = false;
    const onEvent = ({ type }: Event): void => {
      if (sent || type !== 'tool-call') return;
      sent = true;
      agent.resident?.steer(createTurn({ id: 'steer', text: 'steered words', session: { key: 's' } }));
    };
    const ask = answering('allow');
    const { events, end } = await run('run sleep 2; echo slept', { ask, onEvent });
    expect(end.outcome).toBe('success');
    const taken = events.filter(({ type }) => type === 'steered');
    expect(taken).toEqual(queuesSteering ? [] : [{ type: 'steered', inputs: ['steer'] }]);
    if (!queuesSteering) return;
    const own = await later?.next();
    expect(await own?.value?.result).toMatchObject({ outcome: 'success', text: 'You said: steered words' });
  });
}

function describeSessions(scene: () => Scene): void {
  it('goes on with the session in a new process', async () => {
    const place = scene();
    const first = place.open();
    await first.run('hello there');
    await first.agent.close();
    await place.untilResumable();
    const { events, end } = await place.open().run('count them');
    expect(end.text).toBe('There were 2 messages.');
    expect(events.filter(({ type }) => type === 'message')).toHaveLength(1);
  });

  it('keeps two sessions apart', async () => {
    const { run } = scene().open();
    await run('hello there');
    const other = await run('count them', { turn: { session: { key: 'other' } } });
    expect(other.end.text).toBe('There were 1 messages.');
  });

  it('begins a session that it does not know anew, and says so', async () => {
    const session = { key: 's', agentId: '00000000-0000-4000-8000-000000000000' };
    const { events, end } = await scene().open().run('hello there', { turn: { session } });
    expect(end.outcome).toBe('success');
    const text = expect.stringContaining('no longer knows the session');
    expect(events).toContainEqual(expect.objectContaining({ type: 'log', level: 'warning', text }));
  });
}

/** Milliseconds from a message to its first event, in a process that waits or not. */
export async function measureFirstEvent(profile: Profile, agentId: string, waits: boolean): Promise<number> {
  const stream = openStream(profile, { environment: process.env });
  const effects = stream.effects();
  const session = { key: 's', agentId };
  if (waits) {
    stream.start(session);
    await effects.next();
  }
  const from = performance.now();
  stream.send(createTurn({ id: 'first', text: 'hello again', session }));
  for await (const batch of effects) {
    const events = batch.flatMap((effect) => (effect.type === 'events' ? effect.events : []));
    if (events.some(({ type }) => type === 'accepted')) break;
  }
  const taken = performance.now() - from;
  await stream.close({ graceMs: 500 });
  return taken;
}
