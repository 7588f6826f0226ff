import type { Event } from '@plugboard/host';
import type { Session, Store, StoredEvent } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import { onTestEnd, temporaryDirectory, until } from '@plugboard/testkit';
import { createGateway, type Gateway } from '../src/gateway.ts';
import { silentLogger } from '../src/log.ts';
import { receiveIn } from '../src/sessions/receive.ts';
import { configOf, type Setting } from './config-of.ts';

/** A gateway with real processes and a real store, gone when the test ends. */
export interface Bench {
  readonly gateway: Gateway;
  readonly store: Store;
  readonly directory: string;
  session(place?: string, agent?: string): Promise<Session>;
  /** Says something, and gives what became of it. */
  say(session: Session, text: string, id?: string): ReturnType<typeof receiveIn>;
  /** Says something and waits for the answer: everything in the log from then on. */
  ask(session: Session, text: string): Promise<readonly StoredEvent[]>;
  log(session: Session): Promise<readonly StoredEvent[]>;
  idle(session: Session): Promise<void>;
}

/** How something that was started comes to its end: when the test does, unless somebody else sees to it. */
export type WhenDone = (end: () => void | Promise<void>) => void;

export async function startBench(setting: Setting = {}, whenDone: WhenDone = onTestEnd): Promise<Bench> {
  const temporary = setting.directory === undefined ? temporaryDirectory() : undefined;
  const directory = setting.directory ?? temporary?.path ?? '';
  const config = configOf(directory, setting);
  const store = openSqlite(config.store.file, { clock: Date.now, synchronous: 'normal' });
  const gateway = createGateway(config, {
    store: setting.storeFor?.(store) ?? store,
    directory,
    environment: process.env,
    log: setting.log ?? silentLogger,
    ...(setting.channels === undefined ? {} : { channels: setting.channels }),
  });
  whenDone(async () => {
    await gateway.stop();
    await store.close();
    temporary?.[Symbol.dispose]();
  });
  await gateway.start();
  return benchOf(gateway, store, directory);
}

function benchOf(gateway: Gateway, store: Store, directory: string): Bench {
  let messages = 0;
  const say: Bench['say'] = (session, text, id) => {
    messages += 1;
    return receiveIn(gateway.engine, session, {
      place: session.place,
      messageId: id ?? `m${messages}`,
      text,
      sender: 'ada',
    });
  };
  const log: Bench['log'] = (session) => store.log.read(session.id, { after: 0, limit: 100_000 });
  const idle: Bench['idle'] = (session) =>
    until(
      async () => {
        const now = await store.sessions.get(session.id);
        return (
          now !== undefined && !now.running && now.waiting === 0 && !gateway.engine.running.has(session.id)
        );
      },
      'the session to be idle',
      20_000,
    );
  return {
    gateway,
    store,
    directory,
    session: (place = 'hall', agent = gateway.agents.defaultName) =>
      store.sessions.open({ channel: 'web', place, agent }),
    say,
    log,
    idle,
    async ask(session, text) {
      const before = (await store.sessions.get(session.id))?.lastEvent ?? 0;
      await say(session, text);
      await idle(session);
      return (await log(session)).filter(({ number }) => number > before);
    },
  };
}

/** What was said, in short. */
export function brief(events: readonly StoredEvent[]): string[] {
  return events.map(({ event }) => briefly(event));
}

function briefly(event: StoredEvent['event'] | Event): string {
  if (event.type === 'end')
    return `end ${event.outcome}${event.error === undefined ? '' : ` ${event.error.code}`}`;
  return 'text' in event ? `${event.type}: ${event.text}` : event.type;
}

export { type Setting, shell, worker } from './config-of.ts';
