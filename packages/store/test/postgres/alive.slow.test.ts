import type { JsonValue } from '@plugboard/protocol';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { NodeHandlers, Nodes } from '../../src/contract/nodes.ts';
import type { Store } from '../../src/contract/store.ts';
import { useServer } from './server.ts';

const its = useServer({ durable: false });

/** A node and what it has heard. */
interface Heard {
  readonly store: Store;
  readonly nodes: Nodes;
  readonly news: JsonValue[];
  readonly deaths: string[];
  readonly alive: boolean[];
  changes: number;
  lost: number;
}

async function join(url: string, name: string, handlers: Partial<NodeHandlers> = {}): Promise<Heard> {
  const store = await its.open(url, { node: { name, version: '1' }, connections: 3 });
  const { nodes } = store;
  if (nodes === undefined) throw new Error('The store has no nodes.');
  const heard: Heard = { store, nodes, news: [], deaths: [], alive: [], changes: 0, lost: 0 };
  nodes.attend({
    onNews: (news) => void heard.news.push(news),
    onNewsLost() {
      heard.lost += 1;
    },
    onQuestion: async (question) => ({ name, question }),
    onDeath: async (node) => void heard.deaths.push(node),
    onChange() {
      heard.changes += 1;
    },
    onAlive: (isAlive) => void heard.alive.push(isAlive),
    ...handlers,
  });
  return heard;
}

/** Nodes that know each other. */
async function joinAll<Name extends string>(
  names: readonly Name[],
  handlers?: Partial<NodeHandlers>,
): Promise<Record<Name, Heard> & { readonly url: string }> {
  const url = await its.server.createDatabase();
  const joined: [Name, Heard][] = [];
  for (const name of names) joined.push([name, await join(url, name, handlers)]);
  await until(
    () => joined.every(([, { nodes }]) => nodes.peers.length === names.length - 1),
    'the nodes know each other',
  );
  return { url, ...(Object.fromEntries(joined) as Record<Name, Heard>) };
}

/** Ends the connection by which a node is alive, as the death of its process does; the process itself lives on. */
async function cutLifeOf(url: string, name: string): Promise<void> {
  const client = await its.connect(url);
  const locks = `
    pg_locks join nodes on nodes.seq = pg_locks.objid
    where locktype = 'advisory' and classid = ${0x506c7569} and name = $1
      and database = (select oid from pg_database where datname = current_database())`;
  // Before its neighbour waits for the lock, the node could take it again unnoticed.
  const isWatched = async (): Promise<boolean> =>
    (await client.query(`select 1 from ${locks} and not granted`, [name])).rowCount === 1;
  await until(isWatched, `a neighbour watches ${name}`);
  const cut = `select pg_terminate_backend(pid) from ${locks} and granted`;
  const { rowCount } = await client.query(cut, [name]);
  expect(rowCount).toBe(1);
}

describe('nodes', () => {
  it('a name is refused to a second process, and free after the first has ended', async () => {
    const url = await its.server.createDatabase();
    const first = await join(url, 'north');
    await expect(join(url, 'north')).rejects.toMatchObject({
      code: 'in-use',
      message: expect.stringMatching(/in use by another gateway with the name north/),
    });
    await first.store.close();
    await join(url, 'north');
  });

  it('each node lists all, with what they report', async () => {
    const { north, south } = await joinAll(['north', 'south']);
    await south.nodes.report({ url: 'http://south', running: 3, residents: 2, isDraining: true });
    const [first, second] = await north.nodes.list();
    expect(first).toMatchObject({ name: 'north', version: '1', state: 'alive', running: 0 });
    expect(second).toMatchObject({ name: 'south', url: 'http://south', running: 3, isDraining: true });
    await south.store.close();
    expect((await north.nodes.list())[1]).toMatchObject({ name: 'south', state: 'ended', running: 0 });
  });

  it('a node that ends in order is not dead, and the others hear of it', async () => {
    const { north, south } = await joinAll(['north', 'south']);
    const { changes } = north;
    await south.store.close();
    await until(
      () => north.changes > changes && north.nodes.peers.length === 0,
      'north hears that south has ended',
    );
    expect(north.deaths).toEqual([]);
  });

  it('the death of a node is told to one of the others, once', async () => {
    const { url, north, south, west } = await joinAll(['north', 'south', 'west']);
    await cutLifeOf(url, 'south');
    await until(() => north.deaths.length + west.deaths.length > 0, 'one hears of the death');
    await until(() => south.alive.at(-1) === true, 'south is back');
    await south.nodes.report({ running: 0, residents: 0, isDraining: false });
    expect([...north.deaths, ...west.deaths]).toEqual(['south']);
    expect(south.deaths).toEqual([]);
    expect(south.alive).toEqual([false, true]);
    expect(south.lost).toBe(1);
    expect((await north.nodes.list()).map(({ state }) => state)).toEqual(['alive', 'alive', 'alive']);
  });

  it('the deaths of two neighbours at once are both told to the third', async () => {
    const { url, north, south, west } = await joinAll(['north', 'south', 'west']);
    await Promise.all([cutLifeOf(url, 'north'), cutLifeOf(url, 'west')]);
    const told = () => [north, south, west].flatMap(({ deaths }) => deaths).sort();
    await until(() => told().length >= 2, 'both deaths are told');
    expect([...new Set(told())]).toEqual(['north', 'west']);
  });

  it('a dead node does not come back before its sessions are taken over', async () => {
    const url = await its.server.createDatabase();
    const takeOver = Promise.withResolvers<void>();
    let begun = false;
    await join(url, 'north', {
      onDeath: async () => {
        begun = true;
        await takeOver.promise;
      },
    });
    const south = await join(url, 'south');
    await until(() => south.nodes.peers.includes('north'), 'south knows north');
    await cutLifeOf(url, 'south');
    await until(() => begun, 'north takes over');
    expect(south.nodes.isAlive).toBe(false);
    takeOver.resolve();
    await until(() => south.nodes.isAlive, 'south is back');
  });

  it('a restart of the server is the death of nobody', async () => {
    const { north, south } = await joinAll(['north', 'south']);
    await its.server.stop('kill');
    await its.server.start();
    await until(() => [north, south].every(({ alive }) => alive.at(-1) === true), 'both are back');
    await until(() => [north, south].every(({ lost }) => lost > 0), 'both look for what they missed');
    expect([...north.deaths, ...south.deaths]).toEqual([]);
    await expect(north.nodes.ask('south', 1)).resolves.toEqual({ name: 'south', question: 1 });
  });

  it('news reach the other nodes, and not the sender', async () => {
    const { north, south, west } = await joinAll(['north', 'south', 'west']);
    north.nodes.publish({ text: 'ä"\\\n' });
    await until(() => south.news.length + west.news.length === 2, 'both have the news');
    expect(south.news).toEqual([{ text: 'ä"\\\n' }]);
    expect(north.news).toEqual([]);
  });

  it('a question is answered by the node that was asked', async () => {
    const { north } = await joinAll(['north', 'south', 'west']);
    const answers = await Promise.all([1, 2, 3].map((n) => north.nodes.ask(n === 2 ? 'west' : 'south', n)));
    expect(answers).toEqual([
      { name: 'south', question: 1 },
      { name: 'west', question: 2 },
      { name: 'south', question: 3 },
    ]);
  });

  it('a question reaches a node although the notification is lost', async () => {
    const { url } = await joinAll(['north', 'south']);
    const client = await its.connect(url);
    await client.query(
      "insert into node_questions (id, node, question, asked_at) values ('q', 'south', '7', extract(epoch from now()) * 1000)",
    );
    const isAnswered = async () =>
      (await client.query("select 1 from node_questions where id = 'q' and answer is not null")).rowCount ===
      1;
    await until(isAnswered, 'south has looked');
  });

  it('a refusal of the other node is passed on, and silence ends after 5 s', async () => {
    const { north, south } = await joinAll(['north', 'south'], {
      onQuestion: async () => {
        throw new Error('There is no such turn.');
      },
    });
    await expect(north.nodes.ask('south', 1)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'There is no such turn.',
    });
    await south.store.close();
    await expect(north.nodes.ask('south', 1)).rejects.toThrow(/gateway south does not answer/);
  });

  it('a named lock has one holder, and moves when it is given back and when its holder dies', async () => {
    const { url, north, south } = await joinAll(['north', 'south']);
    expect(await north.nodes.takeLock('channel telegram')).toBe(true);
    expect(await north.nodes.takeLock('channel telegram')).toBe(true);
    expect(await south.nodes.takeLock('channel telegram')).toBe(false);
    expect(await south.nodes.takeLock('channel discord')).toBe(true);
    await north.nodes.releaseLock('channel telegram');
    expect(await south.nodes.takeLock('channel telegram')).toBe(true);
    await cutLifeOf(url, 'south');
    await until(() => north.nodes.takeLock('channel telegram'), 'north gets the lock');
    await until(() => south.alive.at(-1) === true, 'south was cut off, and is back');
    expect(await south.nodes.takeLock('channel telegram')).toBe(false);
  });
});
