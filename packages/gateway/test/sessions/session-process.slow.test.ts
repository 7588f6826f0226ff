import type { Event } from '@plugboard/host';
import type { StoredEvent } from '@plugboard/store';
import { profileFor, SCRIPTED_CLAUDE, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { AgentConfig } from '../../src/config/config.ts';
import { stop } from '../../src/sessions/control.ts';
import { type Bench, startBench } from '../harness.ts';
import { startDoor } from '../http/door.ts';

/** An agent whose process is started for one session, by the id that it gave to it. */
function perSession(more: Partial<AgentConfig> = {}) {
  return (workspace: string): readonly AgentConfig[] => {
    const env = { SCRIPTED_SESSIONS: workspace };
    const profile = { ...profileFor('claude', SCRIPTED_CLAUDE, workspace, { env }), name: 'one' };
    return [{ name: 'one', profile, share: false, parkAfterMs: 0, onCrash: 'fail', ...more }];
  };
}

function eventsOf(entries: readonly StoredEvent[]): Event[] {
  return entries.map(({ event }) => event as Event);
}

async function answer(bench: Bench, session: Parameters<Bench['ask']>[0], text: string): Promise<string> {
  const end = eventsOf(await bench.ask(session, text)).findLast((event) => event.type === 'end');
  return end?.type === 'end' ? end.text : '';
}

describe.concurrent('an agent with a process for each session', () => {
  it('resumes its session in the next process after it was parked', async () => {
    const bench = await startBench({ agents: perSession({ parkAfterMs: 30 }) });
    const session = await bench.session();
    expect(await answer(bench, session, 'one')).toBe('You said: one');
    await until(() => bench.gateway.agents.residents === 0, 'the process to be parked');
    expect(await answer(bench, session, 'history')).toBe('one|history');
  });

  it('resumes its session after a restart of the gateway', async () => {
    using directory = temporaryDirectory();
    const first = await startBench({ agents: perSession(), directory: directory.path }, () => {});
    const session = await first.session();
    await answer(first, session, 'one');
    await first.gateway.stop();
    await first.store.close();
    const second = await startBench({ agents: perSession(), directory: directory.path });
    await second.say(session, 'history', 'after the restart');
    await second.idle(session);
    const end = eventsOf(await second.log(session)).findLast((event) => event.type === 'end');
    expect(end).toMatchObject({ text: 'one|history' });
  });

  it('keeps sessions apart, also where one agent is shared by all', async () => {
    for (const share of [false, true]) {
      const bench = await startBench({ agents: perSession({ share }) });
      const [hall, attic] = [await bench.session('hall'), await bench.session('attic')];
      await answer(bench, hall, 'one');
      await answer(bench, attic, 'two');
      expect(await answer(bench, hall, 'history')).toBe('one|history');
      expect(await answer(bench, attic, 'history')).toBe('two|history');
    }
  });

  it('begins a session anew that the agent has lost, and remembers the new one', async () => {
    const bench = await startBench({ agents: perSession({ parkAfterMs: 30 }) });
    const session = await bench.session();
    await bench.store.sessions.rememberAgentSession(session.id, '00000000-0000-4000-8000-000000000000');
    const events = eventsOf(await bench.ask(session, 'one'));
    expect(events.filter(({ type }) => type === 'accepted')).toHaveLength(1);
    expect(events.filter((event) => event.type === 'end')).toMatchObject([{ outcome: 'success' }]);
    await until(() => bench.gateway.agents.residents === 0, 'the process to be parked');
    expect(await answer(bench, session, 'history')).toBe('one|history');
  });

  it('goes on with its session after a crash in a turn', async () => {
    const bench = await startBench({ agents: perSession() });
    const session = await bench.session();
    await answer(bench, session, 'one');
    const crash = eventsOf(await bench.ask(session, 'crash')).findLast((event) => event.type === 'end');
    expect(crash).toMatchObject({ outcome: 'error' });
    expect(await answer(bench, session, 'history')).toBe('one|crash|history');
  });

  it('answers two messages that come while it streams together', async () => {
    const bench = await startBench({ agents: perSession() });
    const session = await bench.session();
    await bench.say(session, 'slow');
    await until(
      async () => eventsOf(await bench.log(session)).some(({ type }) => type === 'accepted'),
      'the turn to begin',
    );
    await bench.say(session, 'two');
    await bench.say(session, 'three');
    await bench.idle(session);
    const events = eventsOf(await bench.log(session));
    const texts = events.flatMap((event) => (event.type === 'message' ? [event.text] : []));
    expect(texts).toEqual([expect.stringMatching(/^(tick )+$/), 'You said: two\nthree']);
    // The gateway keeps one turn for all messages that came while it ran.
    expect(events.filter(({ type }) => type === 'end')).toMatchObject([{ outcome: 'success' }]);
  });

  it('ends a cancelled turn with the text so far, and answers the next message', async () => {
    const bench = await startBench({ agents: perSession() });
    const session = await bench.session();
    await bench.say(session, 'slow');
    await until(
      async () => eventsOf(await bench.log(session)).some(({ type }) => type === 'ready'),
      'the agent to answer',
    );
    await stop(bench.gateway.engine, session.id);
    await bench.idle(session);
    const end = eventsOf(await bench.log(session)).findLast((event) => event.type === 'end');
    expect(end).toMatchObject({ outcome: 'cancelled' });
    expect(await answer(bench, session, 'after')).toBe('You said: after');
  });

  it('asks a person for permission, and the tool runs when it is given', async () => {
    const approvals = { default: 'ask', rules: [], timeoutSecs: 60 } as const;
    const door = await startDoor({
      agents: (workspace) =>
        perSession()(workspace).map((one) => ({ ...one, profile: { ...one.profile, approvals } })),
    });
    const { id } = await door.begin();
    await door.call('POST', `/api/sessions/${id}/messages`, { text: 'run printf done' });
    const read = async () => eventsOf(await door.store.log.read(id, { after: 0, limit: 99 }));
    await until(async () => (await read()).some(({ type }) => type === 'ask'), 'the question');
    const [ask] = (await read()).filter((event) => event.type === 'ask');
    const answered = await door.call('POST', `/api/asks/${ask?.id}`, { option: 'allow-session' });
    expect(answered.status).toBeLessThan(300);
    await until(async () => (await read()).at(-1)?.type === 'end', 'the turn to end');
    expect((await read()).at(-1)).toMatchObject({ outcome: 'success', text: 'The tool said: done' });
  });
});
