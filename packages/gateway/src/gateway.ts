import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@plugboard/host';
import { listUnenforcedLimits, type Spawner } from '@plugboard/process';
import { reasonOf } from '@plugboard/protocol';
import type { Store } from '@plugboard/store';
import { type Agents, createAgents } from './agents/agents.ts';
import { watchedSpawner } from './agents/watched-spawner.ts';
import type { Channel } from './channels/channel.ts';
import { createLives, type Lives } from './channels/channels.ts';
import { createIngress } from './channels/incoming.ts';
import type { ChannelState } from './channels/life.ts';
import type { Config } from './config/config.ts';
import { same } from './config/same.ts';
import { createDelivery, type Delivery } from './delivery/delivery.ts';
import { createDoubts } from './delivery/doubts.ts';
import { createFiles } from './delivery/files.ts';
import { createPlan } from './delivery/plan.ts';
import { createFeed, type Feed } from './live/feed.ts';
import type { Logger } from './log.ts';
import { type LoopDelay, watchLoopDelay } from './loop-delay.ts';
import { createShelf, type MediaShelf } from './media/shelf.ts';
import { createRecordings, type Recordings } from './record/recordings.ts';
import { forgetOld, tidy } from './retention.ts';
import {
  createEngine,
  type Engine,
  noteEvent,
  onUnaskedTurn,
  onUnread,
  stopRunning,
} from './sessions/engine.ts';
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
  /** Whether a channel is there; undefined when there is no such channel. */
  readonly channelState: (channel: string) => ChannelState | undefined;
  readonly delivery: Delivery;
  readonly log: Logger;
  readonly loopDelay: LoopDelay;
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
    open(profile, recorder, watch) {
      const starts = watch === undefined ? spawner : watchedSpawner(watch, spawner);
      return open(profile, {
        environment,
        media: { unchecked: true, withheld: withheldFiles(config, directory) },
        ...(starts === undefined ? {} : { spawner: starts }),
        ...(recorder === undefined ? {} : { recorder }),
      });
    },
    errands: store.errands,
    idleLimit: () => engine.limits.resident,
    room: () => (engine.stopping ? 0 : engine.limits.agents - engine.running.size),
    log,
    listener: {
      onTurn: (sessionId, run) => void onUnaskedTurn(engine, sessionId, run),
      onUnread: (given) => onUnread(engine, given),
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
  const lives = createLives(channels, () => delivery, log);
  const { fail: onStop } = lives;
  const doubts = createDoubts(channels);
  const delivery: Delivery = createDelivery({
    store,
    node,
    channels,
    log,
    files: createFiles(media),
    onDoubt: doubts.raise,
    onStop,
  });
  const { previews, wake: wakeDelivery } = delivery;
  const plan = createPlan(channels);
  const context = { store, agents, feed, media, recordings, plan, previews, doubts, wakeDelivery, log };
  const engine = createEngine(context, node, config.limits);
  const days = (): number => config.limits.retentionDays;
  const belongings = { store, media: join(directory, 'media'), recordings, agents, log, days };
  const forget = (): void => void forgetOld(belongings);
  const forgetting = setInterval(forget, FORGET_EVERY_MS);
  forgetting.unref();
  const loopDelay = watchLoopDelay(log);
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
    channelState: lives.state,
    delivery,
    log,
    loopDelay,
    async start() {
      warnOfLimits(config, log);
      const interrupted = await recover(engine, channels);
      await delivery.start();
      lives.start((channel, fail) => createIngress(engine, channel, fail));
      engine.dispatcher.wake();
      await agents.wake(interrupted);
      void tidy(belongings).then(forget);
      void media.sweep();
    },
    reload(next) {
      warnOfLimits(next, log, config);
      config = next;
      engine.limits = next.limits;
      agents.replace(next.agents, next.defaultAgent);
      feed.agentsChanged();
      engine.dispatcher.wake();
    },
    stop() {
      clearInterval(forgetting);
      loopDelay.close();
      if (stopping !== undefined) abortAll(engine);
      stopping ??= stop(engine, lives, delivery, config.limits.graceMs);
      return stopping;
    },
  };
}

/** Tells the operator which limits of agents this machine cannot enforce; after a reload, those that `before` did not have. */
function warnOfLimits({ agents }: Config, log: Logger, before?: Config): void {
  for (const [name, { profile }] of agents) {
    if (profile.limits === undefined || same(profile.limits, before?.agents.get(name)?.profile.limits))
      continue;
    for (const sentence of listUnenforcedLimits(profile.limits))
      log.warn(sentence, { code: 'limit-not-enforced', agent: name });
  }
}

/** What no agent hands out, whatever its workspace: the gateway's data, its configuration, and the secrets that this names. */
function withheldFiles({ store, files }: Config, directory: string): readonly string[] {
  const database = ['', '-wal', '-shm', '.lock'].map((suffix) => `${store.file}${suffix}`);
  return [directory, ...database, ...files];
}

/** First nothing comes in, then what runs may end, then what was said goes out. */
async function stop(engine: Engine, lives: Lives, delivery: Delivery, graceMs: number): Promise<void> {
  engine.stopping = true;
  await engine.dispatcher.close();
  let impatient = false;
  const timer = setTimeout(() => {
    impatient = true;
    abortAll(engine);
  }, graceMs);
  // The end of one turn may be the beginning of another, which its agent has begun by itself.
  while (engine.ended.size > 0) {
    if (impatient) abortAll(engine);
    await Promise.all(engine.ended);
  }
  clearTimeout(timer);
  clearInterval(engine.leases);
  clearInterval(engine.looks);
  await delivery.stop();
  await lives.stop();
  await engine.agents.close(1_000).catch((error) => engine.log.error(reasonOf(error)));
  await engine.recordings.close();
}

function abortAll({ running }: Engine): void {
  for (const one of running.values()) stopRunning(one, 'shutdown');
}
