import { reasonOf } from '@plugboard/protocol';
import type { Nodes } from '@plugboard/store';
import type { Channel } from '../channels/channel.ts';
import type { Lives } from '../channels/channels.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Feed } from '../live/feed.ts';
import type { Engine } from '../sessions/engine.ts';
import { steer } from '../sessions/receive.ts';
import { recover } from '../sessions/recovery.ts';
import { answerPeer } from './answer-peer.ts';
import { createChannelLocks } from './channel-locks.ts';
import type { NodeNews } from './node-news.ts';
import type { PeerQuestion } from './peers.ts';
import { publishRemote } from './shared-feed.ts';

/** The part of this gateway in a service of several. */
export interface Membership {
  start(): void;
  /** Takes no new turns, and gives up sessions, channels and background work; false takes them again. */
  drain(isDraining: boolean): Promise<void>;
  readonly isDraining: boolean;
  /** Dead gateways whose sessions this one has taken over. */
  readonly takeovers: number;
  /** Where this gateway is reached, for those who list the nodes. */
  url: string | undefined;
  close(): void;
}

export interface MembershipOptions {
  readonly nodes: Nodes;
  readonly engine: Engine;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly lives: Lives;
  readonly delivery: Delivery;
  /** The feed whose events come from this gateway and all others. */
  readonly feed: Feed;
}

/** How often a node reports, and ends turns of nodes that hang: their leases run out. */
const REPORT_MS = 5_000;

export function createMembership(options: MembershipOptions): Membership {
  const { nodes, engine, channels, lives, delivery, feed } = options;
  const { log, store, agents } = engine;
  const locks = createChannelLocks({ nodes, lives, names: () => channels.keys(), log });
  let isDraining = false;
  let takeovers = 0;
  let url: string | undefined;
  /** When this gateway was last cut off, on the clock of `performance`. */
  let cutOffAt = Number.NEGATIVE_INFINITY;
  let reports: NodeJS.Timeout | undefined;

  const report = (): void => {
    const state = { url, running: engine.running.size, residents: agents.residents, isDraining };
    nodes
      .report(state)
      .catch((error: unknown) =>
        log.warn(`This gateway could not report itself: ${reasonOf(error)}`, { code: 'node-not-reported' }),
      );
  };
  const pause = (): void => {
    engine.paused = isDraining || !nodes.isAlive;
    if (!engine.paused) engine.dispatcher.wake();
  };
  const takeOver = async (node: string | undefined): Promise<void> => {
    const interrupted = await recover(engine, channels, node);
    engine.dispatcher.wake();
    if (node !== undefined) await delivery.recover(node);
    if (!isDraining) await agents.wake(node === undefined ? [] : interrupted);
  };
  const lookForWork = (): void => {
    locks.look();
    engine.dispatcher.wake();
    if (!isDraining) void agents.wake([]);
  };
  /** Gives up sessions that are between two turns, with the processes that wait for their next message. */
  const giveUpSessions = async (): Promise<void> => {
    const idle = [...new Set([...engine.leases.all.map(({ session }) => session.id), ...agents.sessions])];
    await Promise.all(
      idle
        .filter((id) => !engine.running.has(id))
        .map(async (id) => {
          await agents.yieldSession(id);
          engine.leases.release(id);
        }),
    );
  };
  const drain = async (wanted: boolean): Promise<void> => {
    if (wanted === isDraining) return;
    isDraining = wanted;
    if (wanted) log.info('This gateway takes no new turns.', { code: 'node-draining' });
    else log.info('This gateway takes new turns again.', { code: 'node-resumed' });
    pause();
    if (wanted) await Promise.all([locks.giveUp(), giveUpSessions()]);
    else locks.resume();
    report();
    engine.peers.news.work();
  };
  const takeNews = ({ waiting = [], deliveries = [], work = false, ...news }: NodeNews): void => {
    publishRemote(feed, news, { store, log });
    for (const id of waiting) {
      const running = engine.running.get(id);
      if (running === undefined) continue;
      running.followed = true;
      void steer(engine, running);
    }
    if (waiting.length > 0) engine.dispatcher.wake();
    for (const channel of deliveries) delivery.wake(channel);
    if (work) lookForWork();
  };
  const start = (): void => {
    nodes.attend({
      onNews: (news) => takeNews(news as NodeNews),
      onNewsLost: lookForWork,
      onQuestion: (question) =>
        answerPeer(engine, question as unknown as PeerQuestion, (wanted) => void drain(wanted)),
      async onDeath(node) {
        log.warn('Another gateway has died. Its sessions are taken over.', { code: 'node-died', node });
        await takeOver(node);
        takeovers += 1;
        locks.look();
      },
      onChange: lookForWork,
      onAlive(isAlive) {
        if (isAlive) log.info('The other gateways can see this one again.', { code: 'node-alive' });
        else
          log.warn('The connection that shows this gateway to the others broke. No turns are begun.', {
            code: 'node-cut-off',
          });
        pause();
        cutOffAt = performance.now();
        if (isAlive) report();
        else locks.drop();
      },
    });
    reports = setInterval(() => {
      report();
      if (isDraining) void giveUpSessions();
      // The server was away for the others too: each of them renews its leases first.
      if (performance.now() - cutOffAt < engine.leaseMs) return;
      takeOver(undefined).catch((error: unknown) =>
        log.warn(`Turns of gateways that hang cannot be looked for: ${reasonOf(error)}`, {
          code: 'leases-not-looked-at',
        }),
      );
    }, REPORT_MS).unref();
    report();
    locks.look();
  };
  return {
    start,
    drain,
    get isDraining() {
      return isDraining;
    },
    get takeovers() {
      return takeovers;
    },
    get url() {
      return url;
    },
    set url(given) {
      url = given;
      report();
    },
    close() {
      clearInterval(reports);
      locks.close();
    },
  };
}
