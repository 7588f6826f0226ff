import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@plugboard/host';
import type { Spawner } from '@plugboard/process';
import type { Store } from '@plugboard/store';
import { type Agents, createAgents } from './agents/agents.ts';
import type { Channel, Ingress } from './channels/channel.ts';
import type { Config } from './config/config.ts';
import { createDelivery, type Delivery } from './delivery/delivery.ts';
import { createPlan } from './delivery/plan.ts';
import { createFeed, type Feed } from './live/feed.ts';
import { type Logger, reasonOf } from './log.ts';
import { createShelf, type MediaShelf } from './media/shelf.ts';
import { createRecordings, type Recordings } from './record/recordings.ts';
import { forgetOld } from './retention.ts';
import { createEngine, type Engine, noteEvent, onUnaskedTurn, stopRunning } from './sessions/engine.ts';
import { receive } from './sessions/receive.ts';
import { recover } from './sessions/recovery.ts';

/** What a gateway is made of beside its configuration. */
export interface GatewayOptions {
  readonly store: Store;
  /** Where recordings and files go. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Starts the agents' processes; directly when absent. */
  readonly spawner?: Spawner;
  /** Names this gateway among those that share a store; the same after a restart. */
  readonly node?: string;
  readonly channels?: readonly Channel[];
}

/** The gateway without its doors: sessions, agents and channels. */
export interface Gateway {
  readonly config: Config;
  readonly store: Store;
  readonly engine: Engine;
  readonly agents: Agents;
  readonly feed: Feed;
  readonly media: MediaShelf;
  readonly recordings: Recordings;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly delivery: Delivery;
  readonly log: Logger;
  /** Ends what an earlier gateway left behind, and begins to run turns. */
  start(): Promise<void>;
  /** Takes another configuration: all of it, from the next turn on. */
  reload(config: Config): void;
  /** Begins nothing new, gives running turns their time, and ends every process. A second call does not wait any longer. */
  stop(): Promise<void>;
}

const FORGET_EVERY_MS = 3_600_000;

export function createGateway(first: Config, options: GatewayOptions): Gateway {
  const { store, directory, environment, log, spawner } = options;
  let config = first;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const channels = new Map((options.channels ?? []).map((channel) => [channel.name, channel]));
  const feed = createFeed();
  const { recordings: turns, recordingBytes: bytes } = config.limits;
  const recordings = createRecordings(join(directory, 'recordings'), { turns, bytes });
  const agents = createAgents({
    agents: config.agents,
    defaultName: config.defaultAgent,
    recorder: recordings.recorder,
    open: (profile, recorder) =>
      open(profile, {
        environment,
        ...(spawner === undefined ? {} : { spawner }),
        ...(recorder === undefined ? {} : { recorder }),
      }),
    listener: {
      onTurn: (sessionId, run) => void onUnaskedTurn(engine, sessionId, run),
      onEvent: (sessionId, event) => void noteEvent(engine, sessionId, event),
    },
  });
  const media = createShelf({
    directory: join(directory, 'media'),
    store,
    log,
    maxBytes: () => config.server.mediaBytes,
  });
  const node = options.node ?? 'local';
  const delivery = createDelivery({ store, node, channels, log });
  const wakeDelivery = (channel: string): void => delivery.wake(channel);
  const context = { store, agents, feed, media, recordings, plan: createPlan(channels), wakeDelivery, log };
  const engine = createEngine(context, node, config.limits);
  const forget = (): void =>
    void forgetOld(store, config.limits.retentionDays, join(directory, 'media'), log);
  const forgetting = setInterval(forget, FORGET_EVERY_MS);
  forgetting.unref();
  let stopping: Promise<void> | undefined;

  return {
    get config() {
      return config;
    },
    store,
    engine,
    agents,
    feed,
    media,
    recordings,
    channels,
    delivery,
    log,
    async start() {
      await recover(engine, channels);
      await delivery.start();
      for (const channel of channels.values()) await channel.start(ingressFor(engine, channel.name));
      engine.dispatcher.wake();
      forget();
    },
    reload(next) {
      config = next;
      engine.limits = next.limits;
      agents.replace(next.agents, next.defaultAgent);
      engine.dispatcher.wake();
    },
    stop() {
      clearInterval(forgetting);
      if (stopping !== undefined) abortAll(engine);
      stopping ??= stop(engine, channels, delivery, config.limits.graceMs);
      return stopping;
    },
  };
}

/** What comes in through a channel. */
function ingressFor(engine: Engine, channel: string): Ingress {
  return {
    receive: (message) => receive(engine, channel, message),
    async note(sessionId, id, text) {
      const { event, duplicate } = await engine.store.log.note(sessionId, {
        id,
        event: { type: 'notice', text },
      });
      if (!duplicate) engine.feed.publish(sessionId, [event]);
      return event.number;
    },
  };
}

/** First nothing comes in, then what runs may end, then what was said goes out. */
async function stop(
  engine: Engine,
  channels: ReadonlyMap<string, Channel>,
  delivery: Delivery,
  graceMs: number,
): Promise<void> {
  engine.stopping = true;
  await engine.dispatcher.close();
  const timer = setTimeout(() => abortAll(engine), graceMs);
  await Promise.all(engine.ended);
  clearTimeout(timer);
  clearInterval(engine.leases);
  await delivery.stop();
  for (const channel of channels.values()) await channel.stop();
  await engine.agents.close(1_000).catch((error) => engine.log.error(reasonOf(error)));
  await engine.recordings.close();
}

function abortAll({ running }: Engine): void {
  for (const one of running.values()) stopRunning(one, 'shutdown');
}
