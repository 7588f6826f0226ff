import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenOptions, open, openStream } from '@plugboard/host';
import { listUnenforcedLimits, type Spawner } from '@plugboard/process';
import { type Cost, reasonOf } from '@plugboard/protocol';
import type { Store } from '@plugboard/store';
import { type Accesses, createAccesses } from './access/accesses.ts';
import { type Agents, createAgents } from './agents/agents.ts';
import { watchedSpawner } from './agents/process-watch.ts';
import { createOpenAsks, type OpenAsks } from './asks/open-asks.ts';
import type { Channel } from './channels/channel.ts';
import { createLives, type Lives } from './channels/channels.ts';
import { createIngress } from './channels/incoming.ts';
import type { ChannelState } from './channels/life.ts';
import { type ChannelNews, createNewsBoard, withNews } from './channels/news.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Config, PlatformConfig } from './config/config.ts';
import { same } from './config/equality.ts';
import { createDelivery, type Delivery } from './delivery/delivery.ts';
import { createDoubts } from './delivery/doubts.ts';
import { createFiles } from './delivery/files.ts';
import { createPlan } from './delivery/plan.ts';
import { createFeed, type Feed } from './live/feed.ts';
import type { Logger } from './log.ts';
import { type LoopDelay, watchLoopDelay } from './loop-delay.ts';
import { createMediaStore, type MediaStore } from './media/media-store.ts';
import { createMediaPlace } from './media/place.ts';
import { createMembership, type Membership } from './nodes/membership.ts';
import { createNewsSender } from './nodes/node-news.ts';
import { createPeers, noPeers } from './nodes/peers.ts';
import { shareFeed } from './nodes/shared-feed.ts';
import { createRecordings, type Recordings } from './record/recordings.ts';
import type { TurnRecorder } from './record/turn-recorder.ts';
import { forgetOld, tidy } from './retention.ts';
import { createEngine } from './sessions/create-engine.ts';
import type { Engine } from './sessions/engine.ts';
import { followAgent } from './sessions/follow-agent.ts';
import { recover } from './sessions/recovery.ts';
import { createSessionLeases } from './sessions/session-leases.ts';
import { stopRunning } from './sessions/turn-life.ts';

/** Inputs of a gateway beside its configuration. */
export interface GatewayOptions {
  readonly store: Store;
  /** Directory of recordings and media files. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Spawner of agent processes; `directSpawner` when absent. */
  readonly spawner?: Spawner;
  /** Name of this gateway in a store that it has alone; otherwise `Store.nodes` has it. Must be stable across restarts. */
  readonly node?: string;
  readonly channels?: readonly Channel[];
  /** Clock of channels and deliveries; `systemClock` when absent. */
  readonly clock?: Clock;
}

/** The gateway without its HTTP server: sessions, agents and channels. */
export interface Gateway {
  readonly config: Config;
  readonly store: Store;
  readonly engine: Engine;
  readonly agents: Agents;
  readonly asks: OpenAsks;
  /** Who may talk in the channels. */
  readonly access: Accesses;
  readonly feed: Feed;
  readonly media: MediaStore;
  readonly recordings: Recordings;
  readonly channels: ReadonlyMap<string, Channel>;
  /** State of a channel; undefined when there is no channel of this name. */
  readonly channelState: (channel: string) => ChannelState | undefined;
  /** What happened last in a channel. */
  readonly channelNews: (channel: string) => ChannelNews;
  readonly delivery: Delivery;
  /** Undefined when the store belongs to this gateway alone. */
  readonly membership: Membership | undefined;
  readonly log: Logger;
  readonly loopDelay: LoopDelay;
  /** Recovers turns of an earlier gateway, and starts to run turns. */
  start(): Promise<void>;
  /** Applies a configuration, from the next turn on. */
  reload(config: Config): void;
  /** Stops the channel `name`, and starts `channel` in its place. */
  replaceChannel(name: string, channel: Channel | undefined): Promise<void>;
  /** Starts no turns, gives running ones `graceMs`, and ends all processes. A second call does not extend the time. */
  stop(): Promise<void>;
}

const FORGET_EVERY_MS = 3_600_000;

export function createGateway(first: Config, options: GatewayOptions): Gateway {
  const { store, directory, environment, log, spawner } = options;
  let config = first;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const channels = new Map<string, Channel>();
  const { nodes } = store;
  const ownFeed = createFeed();
  const peers = nodes === undefined ? noPeers : createPeers(nodes, store, createNewsSender(nodes));
  const feed = nodes === undefined ? ownFeed : shareFeed(ownFeed, peers.news);
  const asks = createOpenAsks();
  const { recordings: turns, recordingBytes: bytes } = config.limits;
  const recordings = createRecordings(join(directory, 'recordings'), { turns, bytes });
  const openOptions = (recorder: TurnRecorder | undefined, starts: Spawner | undefined): OpenOptions => ({
    environment,
    media: { unchecked: true, withheld: withheldFiles(config, directory) },
    ...(starts === undefined ? {} : { spawner: starts }),
    ...(recorder === undefined ? {} : { recorder }),
  });
  const node = nodes?.name ?? options.node ?? 'local';
  const leases = createSessionLeases(store, log);
  const agents = createAgents({
    agents: config.agents,
    defaultName: config.defaultAgent,
    recorder: recordings.recorder,
    asks,
    open: (profile, recorder) => open(profile, openOptions(recorder, spawner)),
    openStream: (profile, recorder, watch, ask) =>
      openStream(profile, {
        ...openOptions(recorder, watchedSpawner(watch, spawner)),
        ...(ask === undefined ? {} : { ask }),
      }),
    errands: store.errands,
    adopt: async ({ sessionId, agent }) => {
      if (nodes === undefined) return true;
      const known = config.agents.get(agent);
      if (known === undefined) return false;
      if (known.share) return nodes.takeLock(`agent ${agent}`);
      return leases.take(sessionId, { node, leaseMs: engine.leaseMs });
    },
    idleLimit: () => engine.limits.resident,
    room: () => (engine.stopping ? 0 : engine.limits.agents - engine.running.size),
    log,
    onProcessEnd(sessionId) {
      if (!agents.isAtWork(sessionId)) leases.release(sessionId);
    },
    listener(agent, effects, sessionOf) {
      const followed = followAgent(engine, agent, effects, sessionOf).finally(() =>
        engine.followed.delete(followed),
      );
      engine.followed.add(followed);
    },
  });
  const media = createMediaStore({
    place: createMediaPlace(config, directory, store),
    copies: join(directory, 'media-copies'),
    store,
    log,
    maxBytes: () => config.server.mediaBytes,
  });
  const clock = options.clock ?? systemClock;
  const news = createNewsBoard(clock.date);
  const lives = createLives({
    delivery: () => delivery,
    clock,
    log: withNews(log, news),
    areShared: nodes !== undefined,
  });
  const { fail: onStop } = lives;
  const doubts = createDoubts(channels);
  const delivery: Delivery = createDelivery({
    clock,
    store,
    node,
    log: withNews(log, news),
    files: createFiles(media),
    sendsIn: lives.isTaken,
    onDoubt: doubts.raise,
    onStop,
  });
  const { previews } = delivery;
  const wakeDelivery = (channel: string): void => {
    delivery.wake(channel);
    peers.news.deliveries(channel);
  };
  const platformOf = (name: string): PlatformConfig | undefined => config.channels.platforms.get(name);
  const access = createAccesses({
    policyOf: (name) => platformOf(name)?.access,
    store,
    clock,
    log,
  });
  const plan = createPlan(channels);
  const context = {
    store,
    agents,
    leases,
    asks,
    feed,
    peers,
    media,
    recordings,
    plan,
    previews,
    doubts,
    wakeDelivery,
    chargeCost: (channel: string, sender: string, cost: Cost) =>
      channels.has(channel) ? access.of(channel).charge(sender, cost) : Promise.resolve(),
    log,
  };
  const engine = createEngine(context, node, config.limits);
  const membership = nodes && createMembership({ nodes, engine, channels, lives, delivery, feed: ownFeed });
  const addChannel = (channel: Channel): void => {
    channels.set(channel.name, channel);
    access.add(channel);
    delivery.add(channel);
    lives.add(channel);
  };
  for (const channel of options.channels ?? []) addChannel(channel);
  const days = (): number => config.limits.retentionDays;
  const belongings = { store, media, recordings, agents, log, days };
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
    asks,
    access,
    feed,
    media,
    recordings,
    channels,
    channelState: lives.state,
    channelNews: news.of,
    delivery,
    membership,
    log,
    loopDelay,
    async start() {
      warnOfLimits(config, log);
      const interrupted = await recover(engine, channels, node);
      await delivery.start();
      lives.start((channel, fail) => {
        const settings = () => ({ sessions: 'thread' as const, ...platformOf(channel.name) });
        return createIngress({
          engine,
          channel,
          access: access.of(channel.name),
          settings,
          clock,
          fail,
          onMessage: () => news.noteMessage(channel.name),
        });
      });
      membership?.start();
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
      engine.absent.clear();
      engine.dispatcher.wake();
    },
    async replaceChannel(name, channel) {
      channels.delete(name);
      delivery.remove(name);
      await lives.remove(name);
      access.remove(name);
      if (channel !== undefined && !engine.stopping) addChannel(channel);
    },
    stop() {
      clearInterval(forgetting);
      loopDelay.close();
      if (stopping !== undefined) abortAll(engine);
      stopping ??= stop({ engine, lives, delivery, membership }, config.limits.graceMs);
      return stopping;
    },
  };
}

/**
 * Logs the limits of agents that this machine cannot enforce; after a reload, only those that `before` did not have.
 */
function warnOfLimits({ agents }: Config, log: Logger, before?: Config): void {
  for (const [name, { profile }] of agents) {
    if (profile.limits === undefined || same(profile.limits, before?.agents.get(name)?.profile.limits))
      continue;
    for (const sentence of listUnenforcedLimits(profile.limits))
      log.warn(sentence, { code: 'limit-not-enforced', agent: name });
  }
}

/** Files that no agent may send, wherever its workspace is: data, configuration and secrets of the gateway. */
function withheldFiles({ store, files, media }: Config, directory: string): readonly string[] {
  const database = ['', '-wal', '-shm', '.lock'].map((suffix) => `${store.file}${suffix}`);
  return [directory, ...database, ...files, ...(media?.directory === undefined ? [] : [media.directory])];
}

/** The parts that `stop` ends. */
interface Parts {
  readonly engine: Engine;
  readonly lives: Lives;
  readonly delivery: Delivery;
  readonly membership: Membership | undefined;
}

/** Order: stop claiming turns, let running turns end, send their deliveries, stop channels and agents. */
async function stop({ engine, lives, delivery, membership }: Parts, graceMs: number): Promise<void> {
  engine.stopping = true;
  await engine.dispatcher.close();
  membership?.close();
  await membership?.drain(true);
  let impatient = false;
  const timer = setTimeout(() => {
    impatient = true;
    abortAll(engine);
  }, graceMs);
  // A turn that ends may start the next, which its agent has begun by itself.
  while (engine.running.size > 0) {
    if (impatient) abortAll(engine);
    await Promise.all([...engine.running.values()].map(({ ended }) => ended.promise));
  }
  clearTimeout(timer);
  clearInterval(engine.renewals);
  clearInterval(engine.looks);
  await delivery.stop();
  await lives.stop();
  await engine.agents
    .close(1_000)
    .catch((error) =>
      engine.log.error(`Agents were not closed: ${reasonOf(error)}`, { code: 'agents-not-closed' }),
    );
  await Promise.all(engine.followed);
  await engine.leases.close();
  await engine.recordings.close();
}

function abortAll(engine: Engine): void {
  for (const running of engine.running.values()) stopRunning(engine, running, 'shutdown');
}
