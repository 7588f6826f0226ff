import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '@plugboard/store/sqlite';
import { onTestEnd, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { createGateway, type Gateway } from '../src/gateway.ts';
import { silentLogger } from '../src/log.ts';
import { forgetOld } from '../src/retention.ts';
import { receiveIn } from '../src/sessions/receive.ts';
import { configOf, worker } from './config-of.ts';

const DAY_MS = 86_400_000;

/** A directory in which gateways follow each other, each with its own time. */
function place() {
  const home = temporaryDirectory();
  const running: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of running.splice(0)) await end();
  };
  onTestEnd(async () => {
    await stop();
    home[Symbol.dispose]();
  });
  const config = configOf(home.path, {
    agents: (at) => [worker('one', 'terminal', at), worker('stays', 'nuum', at)],
    limits: { retentionDays: 30 },
  });
  const time = { days: 0 };
  const openStore = (days: number) => {
    time.days = days;
    return openSqlite(config.store.file, {
      clock: () => Date.now() + time.days * DAY_MS,
      synchronous: 'normal',
    });
  };
  const start = async (days: number): Promise<Gateway> => {
    const store = openStore(days);
    const gateway = createGateway(config, {
      store,
      directory: home.path,
      environment: process.env,
      log: silentLogger,
    });
    running.push(async () => {
      await gateway.stop();
      await store.close();
    });
    await gateway.start();
    return gateway;
  };
  return { path: home.path, time, start, stop, openStore };
}

async function ask({ store, engine }: Gateway, name: string, text: string, agent = 'one'): Promise<string> {
  const session = await store.sessions.open({ channel: 'web', place: name, agent });
  await receiveIn(engine, session, { place: name, messageId: name, text, sender: 'ada' });
  const isDone = async (): Promise<boolean> =>
    (await store.turns.backlog()).waiting + engine.running.size === 0;
  await until(isDone, 'the turn to end');
  return session.id;
}

function everything(directory: string): string {
  if (!existsSync(directory)) return '';
  return readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'latin1'))
    .join('');
}

describe('a session that is forgotten', () => {
  it('takes along what was recorded of it, and its files', async () => {
    const here = place();
    const first = await here.start(0);
    const old = await ask(first, 'hall', 'file marmalade.txt');
    await here.stop();
    const second = await here.start(20);
    await ask(second, 'attic', 'honey');
    await here.stop();
    const recorded = (): string => everything(join(here.path, 'recordings'));
    expect(recorded()).toContain('marmalade');
    expect(readdirSync(join(here.path, 'media'))).toHaveLength(1);
    const third = await here.start(40);
    await until(async () => (await third.store.sessions.get(old)) === undefined, 'it to be forgotten');
    await until(() => !recorded().includes('marmalade'), 'its recording to be gone');
    await until(() => readdirSync(join(here.path, 'media')).length === 0, 'its file to be gone');
    expect(recorded()).toContain('honey');
  });

  it('takes its recording along also when the gateway was killed before it came to that', async () => {
    const here = place();
    await ask(await here.start(0), 'hall', 'marmalade');
    await here.stop();
    // Only the store has forgotten it.
    const store = here.openStore(40);
    expect(await store.sessions.forget({ idleMs: 30 * DAY_MS, limit: 9 })).toMatchObject({ sessions: 1 });
    await store.close();
    expect(everything(join(here.path, 'recordings'))).toContain('marmalade');
    await here.start(0);
    await until(() => !everything(join(here.path, 'recordings')).includes('marmalade'), 'it to be gone');
  });

  it('takes along the agent that it has to itself, and no other', async () => {
    const here = place();
    const gateway = await here.start(0);
    await ask(gateway, 'hall', 'hello', 'stays');
    here.time.days = 20;
    const fresh = await ask(gateway, 'attic', 'hello', 'stays');
    expect(gateway.agents.residents).toBe(2);
    here.time.days = 40;
    const { store, media, recordings, agents } = gateway;
    const forgotten = await forgetOld({
      store,
      media,
      recordings,
      agents,
      log: silentLogger,
      days: () => 30,
    });
    expect(forgotten).toBe(1);
    expect(agents.sessions).toEqual([fresh]);
  });
});
