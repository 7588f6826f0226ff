import type { ClientBase } from 'pg';
import { StoreError } from '../../../contract/errors.ts';
import type { NodeHandlers, Nodes } from '../../../contract/nodes.ts';
import { runStatement } from '../connection.ts';
import type { Context } from '../context.ts';
import { readFrom, type Server } from '../transaction.ts';
import { CHANNEL, type LifeLine, openLifeLine } from './life-line.ts';
import { NAMED_LOCKS } from './lock-keys.ts';
import { type NeighbourWatch, watchNeighbour } from './neighbour-watch.ts';
import {
  endNode,
  findKey,
  isEnded,
  joinNode,
  listNodes,
  listPeers,
  type Peer,
  reportNode,
} from './node-rows.ts';
import { decodeNotice, encodeNotice, type Notice } from './notifications.ts';
import { createQuestions, type Questions } from './questions.ts';

/** A process that opens the store as a node. */
export interface NodeName {
  readonly name: string;
  /** Version of the program, for `Nodes.list`. */
  readonly version: string;
}

export interface OpenedNodes extends Nodes {
  /** Marks this node as ended, and frees its locks. */
  leave(): Promise<void>;
}

/** Connections of a node beside those of its pool. */
export const NODE_CONNECTIONS = 2;

/** Open questions are read at this interval, in case that a notification is lost. */
const LOOK_MS = 2_000;

const NOTIFY = `select pg_notify('${CHANNEL}', :payload::text)`;
const TRY_LOCK = `select pg_try_advisory_lock(${NAMED_LOCKS}, hashtext($1)) as taken`;
const UNLOCK = `select pg_advisory_unlock(${NAMED_LOCKS}, hashtext($1))`;

async function tryNamedLock(client: ClientBase, lock: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(TRY_LOCK, [lock]);
  return rows[0]?.taken === true;
}

/** Takes the lock of the name. Rejects with `in-use` while another process has it. */
export async function openNodes(server: Server, node: NodeName): Promise<(context: Context) => OpenedNodes> {
  const key = await readFrom(server, (connection) => findKey(connection, node.name));
  let onNotice: (notice: Notice) => void = () => {};
  let onAlive: (isAlive: boolean) => void = () => {};
  const life = await openLifeLine({
    server,
    name: node.name,
    key,
    onNotification(payload) {
      const notice = decodeNotice(node.name, payload);
      if (notice !== undefined) onNotice(notice);
    },
    onAlive: (isAlive) => onAlive(isAlive),
  });
  await readFrom(server, (connection) => joinNode(connection, node)).catch(async (error: unknown) => {
    await life.close();
    throw error;
  });
  return (context) => {
    const nodes = createNodes(context, node, key, life);
    onNotice = nodes.onNotice;
    onAlive = nodes.onAlive;
    return nodes;
  };
}

interface Listening {
  onNotice(notice: Notice): void;
  onAlive(isAlive: boolean): void;
}

function createNodes(context: Context, node: NodeName, key: number, life: LifeLine): OpenedNodes & Listening {
  const { name } = node;
  let handlers: NodeHandlers | undefined;
  let watch: NeighbourWatch | undefined;
  let peers: readonly string[] = [];
  /** Named locks that the life line holds. The server counts: one that is taken twice must be given back twice. */
  const locks = new Set<string>();

  const notify = (notice: Notice): void => {
    // A notification that is lost is made good by the looks of the others.
    context
      .read((connection) => runStatement(connection, NOTIFY, { payload: encodeNotice(name, notice) }))
      .catch(() => {});
  };
  const questions: Questions = createQuestions({
    ...{ context, name, notify },
    answer: async (question) => {
      if (handlers === undefined) throw new StoreError('unavailable', `The gateway ${name} is starting.`);
      return handlers.onQuestion(question);
    },
  });
  const readPeers = async (): Promise<readonly Peer[]> => {
    const alive = await context.read((connection) => listPeers(connection, name));
    peers = alive.map((peer) => peer.name);
    return alive;
  };
  const noteChange = (): void => {
    watch?.refresh();
    readPeers().then(
      () => handlers?.onChange(),
      () => {},
    );
  };
  const buryPeer = async (peer: Peer): Promise<void> => {
    const ended = await context.read((connection) => isEnded(connection, peer.seq));
    if (!ended) {
      await handlers?.onDeath(peer.name);
      await context.write('nodes', (transaction) => endNode(transaction, peer.name, true));
      notify({ changed: true });
    }
    noteChange();
  };
  const looks = setInterval(() => questions.answerOpen().catch(() => {}), LOOK_MS);
  looks.unref();

  return {
    name,
    get isAlive() {
      return life.isAlive;
    },
    get peers() {
      return peers;
    },
    get connections() {
      const { totalCount: open, idleCount: idle, waitingCount: waiting } = context.server.pool;
      return { open, idle, waiting };
    },
    attend(given) {
      handlers = given;
      watch = watchNeighbour({ server: context.server, key, listPeers: readPeers, onFree: buryPeer });
      notify({ changed: true });
      noteChange();
    },
    publish(news) {
      if (peers.length > 0) notify({ news });
    },
    ask: questions.ask,
    async takeLock(lock) {
      if (locks.has(lock)) return true;
      const isTaken = (await life.use((client) => tryNamedLock(client, lock))) === true;
      if (isTaken) locks.add(lock);
      return isTaken;
    },
    async releaseLock(lock) {
      if (locks.delete(lock)) await life.use((client) => client.query(UNLOCK, [lock]));
    },
    report: (state) => context.write('nodes', (transaction) => reportNode(transaction, name, state)),
    list: () => context.read(listNodes),
    async leave() {
      clearInterval(looks);
      await watch?.close();
      await readFrom(context.server, async (connection) => {
        await endNode(connection, name, false);
        await runStatement(connection, NOTIFY, { payload: encodeNotice(name, { changed: true }) });
      }).catch(() => {});
      await life.close();
    },
    onNotice(notice) {
      if ('news' in notice) handlers?.onNews(notice.news);
      else if ('changed' in notice) noteChange();
      else questions.take(notice);
    },
    onAlive(isAlive) {
      if (!isAlive) locks.clear();
      handlers?.onAlive(isAlive);
      if (!isAlive) return;
      noteChange();
      handlers?.onNewsLost();
    },
  };
}
