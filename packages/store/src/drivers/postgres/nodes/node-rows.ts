import type { NodeRecord, NodeState } from '../../../contract/nodes.ts';
import { type Connection, findRow, listRows, NOW, requireRow, runStatement } from '../connection.ts';

// Keeps `seq`, by which the others know the lock of this name.
const JOIN = `
  insert into nodes (name, version, started_at, seen_at) values (:name, :version, ${NOW}, ${NOW})
  on conflict (name) do update
  set version = excluded.version, started_at = excluded.started_at, seen_at = excluded.seen_at, url = null,
    running = 0, residents = 0, draining = false, ended_at = null, died = false
  returning seq`;

const REMOVE_OLD = `delete from nodes where ended_at < ${NOW} - 86400000`;

/** The key of the lock of a name, which need not have joined. */
export async function findKey(connection: Connection, name: string): Promise<number> {
  const made = `insert into nodes (name, version, started_at, seen_at, ended_at)
    values (:name, '', ${NOW}, ${NOW}, ${NOW}) on conflict (name) do update set name = excluded.name returning seq`;
  const { seq } = await requireRow<{ seq: number }>(connection, made, { name });
  return seq;
}

/** Marks a node as alive. Call with its lock. */
export async function joinNode(
  connection: Connection,
  node: { name: string; version: string },
): Promise<void> {
  await runStatement(connection, JOIN, node);
  await runStatement(connection, REMOVE_OLD);
}

const REPORT = `
  update nodes
  set url = :url::text, running = :running, residents = :residents, draining = :isDraining, seen_at = ${NOW},
    ended_at = null, died = false
  where name = :name`;

export async function reportNode(connection: Connection, name: string, state: NodeState): Promise<void> {
  await runStatement(connection, REPORT, { ...state, url: state.url ?? null, name });
}

const END = `update nodes set ended_at = ${NOW}, died = :died::boolean, running = 0, residents = 0 where name = :name`;

export async function endNode(connection: Connection, name: string, died: boolean): Promise<void> {
  await runStatement(connection, END, { name, died });
}

/** Another node, by the key of its lock. */
export interface Peer {
  readonly seq: number;
  readonly name: string;
}

const LIST_PEERS = 'select seq, name from nodes where ended_at is null and name <> :name order by seq';

export function listPeers(connection: Connection, name: string): Promise<Peer[]> {
  return listRows<Peer>(connection, LIST_PEERS, { name });
}

const IS_ENDED = 'select 1 from nodes where seq = :seq and ended_at is not null';

export async function isEnded(connection: Connection, seq: number): Promise<boolean> {
  return (await findRow(connection, IS_ENDED, { seq })) !== undefined;
}

const LIST = `
  select name, version, url, started_at as "startedAt", seen_at as "seenAt", running, residents,
    draining as "isDraining", ended_at is not null as ended, died
  from nodes where version <> '' order by ended_at nulls first, name`;

type NodeRow = Omit<NodeRecord, 'state' | 'url'> & { url: string | null; ended: boolean; died: boolean };

export async function listNodes(connection: Connection): Promise<NodeRecord[]> {
  const rows = await listRows<NodeRow>(connection, LIST);
  return rows.map(({ url, ended, died, ...row }) => ({
    ...row,
    url: url ?? undefined,
    state: died ? 'died' : ended ? 'ended' : 'alive',
  }));
}
