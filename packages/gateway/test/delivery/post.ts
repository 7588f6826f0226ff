import { join } from 'node:path';
import type { Store, Delivery as Stored } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import { onTestEnd, temporaryDirectory } from '@plugboard/testkit';
import { type Body, jsonOf } from '../../src/delivery/body.ts';
import { createDelivery, type Delivery } from '../../src/delivery/delivery.ts';
import { STOP_MS } from '../../src/delivery/times.ts';
import { type LogFields, type Logger, silentLogger } from '../../src/log.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import type { FakeChannel } from './fake-channel.ts';

/** The outbox of a real store, and what empties it. Channels are ready when a test says so. */
export interface Post {
  readonly store: Store;
  readonly delivery: Delivery;
  /** Channels that said they are of no use any more. */
  readonly stopped: string[];
  readonly warnings: string[];
  /** Sessions whose people are to be told that something may be missing. */
  readonly doubts: string[];
  /** Time of the deliveries and of the store. */
  readonly clock: FakeClock;
  add(text: string, place?: string, more?: Partial<Body> & { channel?: string }): Promise<Stored>;
  /** Starts, with all channels ready. */
  open(): Promise<void>;
  /** The states of everything there is, in order. */
  states(): Promise<string[]>;
  find(id: string): Promise<Stored | undefined>;
  /** Lets time pass until nothing is pending or being sent. */
  rest(): Promise<void>;
}

/** Where the clock of the store begins: 2026. */
const EPOCH_MS = 1_767_225_600_000;

export function openPost(channels: readonly FakeChannel[], clock: FakeClock = createFakeClock()): Post {
  const directory = temporaryDirectory();
  const store = openSqlite(join(directory.path, 'gateway.db'), {
    clock: () => EPOCH_MS + clock.now(),
    synchronous: 'normal',
  });
  const stopped: string[] = [];
  const warnings: string[] = [];
  const doubts: string[] = [];
  const warn = (message: string, fields?: LogFields): void =>
    void warnings.push(`${message} ${fields?.state}`);
  const log: Logger = { ...silentLogger, warn };
  const delivery = createDelivery({
    clock,
    store,
    node: 'north',
    sendsIn: () => true,
    log,
    files: async (media) => media,
    onDoubt: (sessionId) => void doubts.push(sessionId),
    onStop(channel) {
      stopped.push(channel);
      delivery.halt(channel);
    },
  });
  for (const channel of channels) delivery.add(channel);
  onTestEnd(async () => {
    const stopped = delivery.stop();
    await clock.pass(STOP_MS);
    await stopped;
    await store.close();
    directory[Symbol.dispose]();
  });
  const all = async (): Promise<Stored[]> => [...(await store.outbox.list({ limit: 1_000 }))].reverse();
  return {
    store,
    delivery,
    clock,
    stopped,
    warnings,
    doubts,
    async add(text, place = 'hall', { channel = channels[0]?.name ?? '', ...more } = {}) {
      const session = await store.sessions.open({ channel, place, agent: 'echo' });
      const body = jsonOf({ kind: 'message', text, media: [], ...more });
      const added = await store.outbox.add(session.id, { channel, place, body, expiresInMs: 900_000 });
      delivery.wake(channel);
      return added;
    },
    async open() {
      await delivery.start();
      await Promise.all(channels.map(({ name }) => delivery.ready(name)));
    },
    states: async () => (await all()).map(({ state }) => state),
    find: async (id) => (await all()).find((one) => one.id === id),
    rest: () =>
      clock.passUntil(
        async () => (await all()).every(({ state }) => state !== 'pending' && state !== 'sending'),
        'everything to be settled',
      ),
  };
}
