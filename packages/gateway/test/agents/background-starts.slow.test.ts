import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open, openStream } from '@plugboard/host';
import { openSqlite } from '@plugboard/store/sqlite';
import { onTestEnd, profileFor, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { type Agents, createAgents } from '../../src/agents/agents.ts';
import type { RestartLimits } from '../../src/agents/options.ts';
import { watchedSpawner } from '../../src/agents/process-watch.ts';
import { createOpenAsks } from '../../src/asks/open-asks.ts';
import type { AgentConfig } from '../../src/config/config.ts';
import { sleeper, startsOf } from './sleeper-agent.ts';

const PACE: RestartLimits = {
  together: 2,
  settleMs: 20_000,
  pauseMs: 20,
  attempts: 3,
  steadyMs: 60_000,
  lookMs: 20,
};

interface Dormitory {
  readonly agents: Agents;
  readonly path: string;
  readonly sessions: readonly string[];
  readonly errors: readonly string[];
  noted(): Promise<number>;
  starts(): number;
}

async function readAll(effects: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of effects);
}

/** Agents of sessions in which an alarm was set long ago, as a gateway finds them that has just been started. */
async function dormitory(
  count: number,
  config: (at: string) => AgentConfig,
  pace: Partial<RestartLimits> = {},
  room: () => number = () => 8,
): Promise<Dormitory> {
  const home = temporaryDirectory();
  const path = home.path;
  const store = openSqlite(join(path, 'store.db'), { clock: Date.now, synchronous: 'normal' });
  const sessions: string[] = [];
  for (let index = 0; index < count; index++) {
    const { id } = await store.sessions.open({ channel: 'web', place: `p${index}`, agent: 'sleeper' });
    await store.errands.note(id, 'sleeper');
    writeFileSync(join(path, id), JSON.stringify({ at: Date.now() + 600_000, text: 'tea' }));
    sessions.push(id);
  }
  const errors: string[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (message: string) => void errors.push(message) };
  const agents = createAgents({
    agents: new Map([['sleeper', config(path)]]),
    defaultName: 'sleeper',
    open: (profile) => open(profile, { environment: process.env }),
    openStream: (profile, _recorder, watch) =>
      openStream(profile, { environment: process.env, spawner: watchedSpawner(watch) }),
    recorder: () => undefined,
    asks: createOpenAsks(),
    listener: (_agent, effects) => void readAll(effects),
    onProcessEnd() {},
    errands: store.errands,
    adopt: async () => true,
    idleLimit: () => 32,
    room,
    log,
    restarts: { ...PACE, ...pace },
  });
  onTestEnd(async () => {
    await agents.close(200);
    await store.close();
    home[Symbol.dispose]();
  });
  const starts = (): number => sessions.reduce((sum, id) => sum + startsOf(path, id), 0);
  return { agents, path, sessions, errors, noted: async () => (await store.errands.list()).length, starts };
}

describe.concurrent('agents that have something to do', () => {
  it('are opened some at a time, until all are', async () => {
    const { agents, starts } = await dormitory(5, (at) => sleeper(at));
    await agents.wake([]);
    expect(agents.residents).toBe(2);
    await until(() => starts() === 5, 'all to be opened');
    expect(agents.residents).toBe(5);
  });

  it('wait until there is room for them', async () => {
    let room = 0;
    const { agents } = await dormitory(
      2,
      (at) => sleeper(at),
      {},
      () => room,
    );
    await agents.wake([]);
    expect(agents.residents).toBe(0);
    room = 1;
    await until(() => agents.residents === 2, 'both to be opened');
  });

  it.each(['dies', 'rings'] as const)(
    'and do not stay are opened so often and no more: %s',
    async (manner) => {
      const { agents, errors, sessions, path, starts, noted } = await dormitory(1, (at) =>
        sleeper(at, {}, manner),
      );
      const [id = ''] = sessions;
      if (manner === 'rings') writeFileSync(join(path, id), JSON.stringify({ at: 0, text: 'tea' }));
      await agents.wake([]);
      await until(() => errors.length === 1, 'it to be given up', 20_000);
      expect(starts()).toBe(1 + PACE.attempts);
      expect(errors[0]).toContain(`ended ${1 + PACE.attempts} times`);
      // A gateway that is started again tries again.
      expect(await noted()).toBe(1);
      agents.prepare('sleeper', id);
      await until(() => starts() > 2 + PACE.attempts, 'it to be opened again, since somebody speaks', 20_000);
    },
  );

  it('and say nothing of it when they are up have nothing to do', async () => {
    const { agents, noted } = await dormitory(1, (at) => sleeper(at, {}, 'mute'), { settleMs: 3_000 });
    await agents.wake([]);
    expect(agents.residents).toBe(1);
    await until(() => agents.residents === 0, 'it to be ended');
    await until(async () => (await noted()) === 0, 'that to be noted');
  });

  it('and do not come up are tried again, and what they have to do stays noted', async () => {
    const hung = (at: string): AgentConfig => {
      const config = sleeper(at);
      const command = { argv: ['/bin/sh', '-c', 'exec sleep 60'] };
      const settings = { ...config.profile.settings, command } as AgentConfig['profile']['settings'];
      return { ...config, profile: { ...config.profile, settings } };
    };
    const { agents, errors, noted } = await dormitory(1, hung, { settleMs: 200, attempts: 1 });
    await agents.wake([]);
    await until(() => errors.length === 1, 'it to be given up');
    expect(agents.residents).toBe(0);
    expect(await noted()).toBe(1);
  });

  it('and cannot be started are given up, too', async () => {
    const missing = (at: string): AgentConfig => {
      const config = sleeper(at);
      const command = { argv: [join(at, 'no-such-program')] };
      const settings = { ...config.profile.settings, command } as AgentConfig['profile']['settings'];
      return { ...config, profile: { ...config.profile, settings } };
    };
    const { agents, errors, noted } = await dormitory(1, missing);
    await agents.wake([]);
    await until(() => errors.length === 1, 'it to be given up');
    expect(await noted()).toBe(1);
  });

  it.each(['acp', 'claude'] as const)(
    'are not started for work that ended with their process: %s, interrupted or noted',
    async (dialect) => {
      const config = (at: string): AgentConfig => {
        const { profile, ...rest } = sleeper(at);
        const file = join(at, '{session}');
        const argv = ['/bin/sh', '-c', `echo started >> ${file}.starts; exec sleep 60`];
        return { ...rest, profile: { ...profileFor(dialect, argv, at), name: profile.name } };
      };
      const { agents, errors, sessions, starts, noted } = await dormitory(2, config, { settleMs: 50 });
      await agents.wake(sessions.slice(0, 1).map((sessionId) => ({ sessionId, agent: 'sleeper' })));
      expect(agents.residents).toBe(0);
      await until(async () => (await noted()) === 0, 'the notes to be removed');
      expect({ starts: starts(), errors }).toEqual({ starts: 0, errors: [] });
    },
  );

  it('are left alone when everything is closed', async () => {
    const { agents, starts } = await dormitory(5, (at) => sleeper(at));
    await agents.wake([]);
    await agents.close(200);
    expect(agents.residents).toBe(0);
    expect(starts()).toBeLessThanOrEqual(2);
  });
});
