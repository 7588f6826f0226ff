import { profileFor, SCRIPTED_ACP, SCRIPTED_CLAUDE, until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import type { AgentConfig } from '../../src/config/config.ts';
import { stop } from '../../src/sessions/control.ts';
import { brief, startBench } from '../harness.ts';

const COMMANDS = { claude: SCRIPTED_CLAUDE, acp: SCRIPTED_ACP };

const scripted =
  (dialect: 'claude' | 'acp') =>
  (workspace: string): AgentConfig[] => {
    const env = { SCRIPTED_SESSIONS: workspace };
    const profile = { ...profileFor(dialect, COMMANDS[dialect], workspace, { env }), name: 'one' };
    return [{ name: 'one', profile, share: false, parkAfterMs: 0, onCrash: 'fail' }];
  };

it.each(['claude', 'acp'] as const)(
  'a stop of a turn of %s names each steered message as dropped, unless the agent has taken it in',
  async (dialect) => {
    const bench = await startBench({ agents: scripted(dialect) });
    const session = await bench.session();
    await bench.say(session, 'slow');
    await until(
      async () =>
        brief(await bench.log(session))
          .join()
          .includes('tick'),
      'the turn to run',
    );
    expect(await bench.say(session, 'more')).toMatchObject({ steered: true });
    const { dropped } = await stop(bench.gateway.engine, session.id);
    await bench.idle(session);
    const events = (await bench.log(session)).map(({ event }) => event);
    const said = events.flatMap((event) => (event.type === 'user' ? [event.messageId] : []))[1] ?? '';
    const named = events.filter((event) => event.type === 'dropped' && event.messageIds.includes(said));
    const taken = events.filter((event) => event.type === 'steered' && event.inputs.includes(said));
    expect({ dropped: named.length, taken: taken.length }).toEqual({ dropped, taken: 1 - dropped });
    expect(await bench.store.inbox.get(said)).toMatchObject({ state: 'dropped' });
    expect(brief(await bench.ask(session, 'hello')).join()).toContain('hello');
  },
);
