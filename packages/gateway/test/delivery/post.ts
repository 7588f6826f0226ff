import { join } from 'node:path';
import type { Store, Delivery as Stored } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import { temporaryDirectory, until } from '@plugboard/testkit';
import { onTestFinished } from 'vitest';
import { type Body, jsonOf } from '../../src/delivery/body.ts';
import { createDelivery, type Delivery } from '../../src/delivery/delivery.ts';
import type { Times } from '../../src/delivery/times.ts';
import { type LogFields, type Logger, silentLogger } from '../../src/log.ts';
import type { FakeChannel } from './fake-channel.ts';

/** The outbox of a real store, and what empties it. Channels are ready when a test says so. */
export interface Post {
  readonly store: Store;
  readonly delivery: Delivery;
  /** Channels that said they are of no use any more. */
  readonly stopped: string[];
  readonly warnings: string[];
  /** Lets hours pass for the store. */
  pass(ms: number): void;
  add(text: string, place?: string, more?: Partial<Body> & { channel?: string }): Promise<Stored>;
  /** Starts, with all channels ready. */
  open(): Promise<void>;
  /** The states of everything there is, in order. */
  states(): Promise<string[]>;
  find(id: string): Promise<Stored | undefined>;
  /** Waits until nothing is pending or being sent. */
  rest(): Promise<void>;
}

/** Nothing in a test waits longer than this, but for what the test is about. */
const SHORT: Partial<Times> = {
  sendMs: 300,
  resolveMs: 300,
  previewMs: 200,
  firstMs: 5,
  stopMs: 200,
  retryMs: () => 30,
};

export function openPost(channels: readonly FakeChannel[], times: Partial<Times> = {}): Post {
  const directory = temporaryDirectory();
  let passed = 0;
  const clock = (): number => Date.now() + passed;
  const store = openSqlite(join(directory.path, 'gateway.db'), { clock, synchronous: 'normal' });
  const stopped: string[] = [];
  const warnings: string[] = [];
  const warn = (message: string, fields?: LogFields): void =>
    void warnings.push(`${message} ${fields?.state}`);
  const log: Logger = { ...silentLogger, warn };
  const delivery = createDelivery({
    store,
    node: 'north',
    channels: new Map(channels.map((channel) => [channel.name, channel])),
    log,
    files: async (media) => media,
    onDoubt() {},
    onStop(channel) {
      stopped.push(channel);
      delivery.halt(channel);
    },
    times: { ...SHORT, ...times },
  });
  onTestFinished(async () => {
    await delivery.stop();
    await store.close();
    directory[Symbol.dispose]();
  });
  const all = async (): Promise<Stored[]> => [...(await store.outbox.list({ limit: 1_000 }))].reverse();
  return {
    store,
    delivery,
    stopped,
    warnings,
    pass(ms) {
      passed += ms;
    },
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
      until(
        async () => (await all()).every(({ state }) => state !== 'pending' && state !== 'sending'),
        'everything to be settled',
        5_000,
      ),
  };
}
