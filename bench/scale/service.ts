import type { Cost, Costs } from './costs.ts';
import { createSimulation, type Simulation } from './event-queue.ts';

/** A service of several gateways on one server, or on several servers among which the sessions are divided. */
export interface Setting {
  readonly nodes: number;
  /** Turns that run at a time in each node. */
  readonly slots: number;
  /** Mean time of an agent's turn. */
  readonly turnMs: number;
  readonly messagesPerSecond: number;
  /** Commits of a turn beside its first and its last. */
  readonly records: number;
  readonly seconds: number;
  /** How much faster the server is than the measured machine. */
  readonly speed: number;
  readonly servers: number;
  /** Added to each commit by a slow disk: time that the server is not busy. */
  readonly diskMs: number;
  /** A node that dies in the middle of the run. */
  readonly losesNode: boolean;
  /** Readers that come back within a second in the middle of the run. */
  readonly reconnects: number;
}

/** Times in milliseconds, sorted. */
export interface Outcome {
  /** From a message to the begin of its turn. */
  readonly waits: readonly number[];
  readonly turnsPerSecond: number;
  /** Share of the time in which the busiest server was busy. */
  readonly busy: number;
  /** From the death of a node until its sessions could run again. */
  readonly takeoverMs: number | undefined;
  /** From the first reader that comes back until the last one has its page. */
  readonly reconnectMs: number | undefined;
  /** Messages that were refused, because too many waited (`limits.waiting`). */
  readonly refused: number;
}

/** A server that does one thing at a time; an answer takes at least its latency. */
interface Server {
  call(cost: Cost, times: number, done: () => void): void;
  readonly busyMs: number;
}

function createServer(simulation: Simulation, setting: Setting): Server {
  const { speed, diskMs } = setting;
  let freeAt = 0;
  let busyMs = 0;
  return {
    call({ busyMs: cost, latencyMs }, times, done) {
      const begin = Math.max(simulation.now, freeAt);
      const work = (cost * times) / speed;
      freeAt = begin + work;
      const end = setting.seconds * 1_000;
      busyMs += Math.min(freeAt, end) - Math.min(begin, end);
      const idle = Math.max(0, latencyMs - cost) + diskMs;
      simulation.after(freeAt - simulation.now + idle, done);
    },
    get busyMs() {
      return busyMs;
    },
  };
}

/** Time until the neighbour of a dead node has its lock: measured by `npm run bench -- postgres`. */
const DETECT_MS = 17;

/** `limits.waiting`. */
const MOST_WAITING = 1_000;

/** A hint reaches another node after so long. */
const HINT_MS = 1;

interface Node {
  free: number;
  isAlive: boolean;
  isAsking: boolean;
}

interface State {
  readonly setting: Setting;
  readonly costs: Costs;
  readonly simulation: Simulation;
  readonly servers: readonly Server[];
  readonly nodes: readonly Node[];
  /** When each waiting message came in, by server. */
  readonly waiting: number[][];
  readonly waits: number[];
  readonly random: () => number;
  ended: number;
  refused: number;
  /** Messages that are admitted and have no turn yet, or are being admitted. */
  inside: number;
}

/** Runs a service with messages that come at random, each to a session of its own. */
export function simulate(setting: Setting, costs: Costs, random: () => number): Outcome {
  const simulation = createSimulation();
  const state: State = {
    ...{ setting, costs, simulation, random },
    servers: Array.from({ length: setting.servers }, () => createServer(simulation, setting)),
    nodes: Array.from({ length: setting.nodes }, () => ({
      free: setting.slots,
      isAlive: true,
      isAsking: false,
    })),
    waiting: Array.from({ length: setting.servers }, () => []),
    waits: [],
    ended: 0,
    refused: 0,
    inside: 0,
  };
  let takeoverMs: number | undefined;
  let reconnectMs: number | undefined;
  scheduleMessage(state);
  const middle = (setting.seconds * 1_000) / 2;
  if (setting.losesNode)
    simulation.after(middle, () =>
      loseNode(state, (ms) => {
        takeoverMs = ms;
      }),
    );
  let readers = setting.reconnects;
  const resume = (): void =>
    serverOf(state).call(costs.resume, 1, () => {
      readers -= 1;
      if (readers === 0) reconnectMs = simulation.now - middle;
    });
  for (let n = 0; n < setting.reconnects; n += 1) simulation.after(middle + 1_000 * random(), resume);
  simulation.run(setting.seconds * 1_000);
  return {
    waits: state.waits.sort((one, other) => one - other),
    turnsPerSecond: state.ended / setting.seconds,
    busy: Math.max(...state.servers.map(({ busyMs }) => busyMs)) / (setting.seconds * 1_000),
    takeoverMs,
    reconnectMs,
    refused: state.refused,
  };
}

function serverOf({ servers, random }: State): Server {
  return servers[Math.floor(random() * servers.length)] as Server;
}

function scheduleMessage(state: State): void {
  const { simulation, setting, random } = state;
  const pauseMs = (-Math.log(1 - random()) * 1_000) / setting.messagesPerSecond;
  simulation.after(pauseMs, () => {
    scheduleMessage(state);
    admitMessage(state);
  });
}

function admitMessage(state: State): void {
  const { nodes, servers, costs, simulation, waiting, random } = state;
  if (state.inside >= MOST_WAITING * servers.length) {
    state.refused += 1;
    return;
  }
  state.inside += 1;
  const shard = Math.floor(random() * servers.length);
  const cameAt = simulation.now;
  const node = nodes[Math.floor(random() * nodes.length)] as Node;
  servers[shard]?.call(costs.admit, 1, () => {
    waiting[shard]?.push(cameAt);
    if (node.isAlive && node.free > 0) return askFor(state, node, shard);
    const other = nodes.find(({ free, isAlive, isAsking }) => isAlive && free > 0 && !isAsking);
    if (other !== undefined) simulation.after(HINT_MS, () => askFor(state, other, shard));
  });
}

/** One `claim` of a node at a time; it takes as many messages as the node has room for. */
function askFor(state: State, node: Node, shard: number): void {
  const { servers, costs, simulation, waiting, waits } = state;
  if (node.isAsking || !node.isAlive || node.free === 0) return;
  node.isAsking = true;
  servers[shard]?.call(costs.claim, 1, () => {
    const found = waiting[shard]?.splice(0, node.free) ?? [];
    state.inside -= found.length;
    node.free -= found.length;
    servers[shard]?.call(costs.claimed, found.length, () => {
      node.isAsking = false;
      for (const cameAt of found) {
        waits.push(simulation.now - cameAt);
        runTurn(state, node, shard);
      }
      if ((waiting[shard]?.length ?? 0) > 0) askFor(state, node, shard);
    });
  });
}

function runTurn(state: State, node: Node, shard: number): void {
  const { servers, costs, simulation, setting, random } = state;
  const turnMs = -Math.log(1 - random()) * setting.turnMs;
  const record = (done: () => void): void => servers[shard]?.call(costs.record, 1, done);
  for (let n = 1; n <= setting.records; n += 1)
    simulation.after((turnMs * n) / (setting.records + 1), () => record(() => {}));
  record(() =>
    simulation.after(turnMs, () =>
      record(() => {
        state.ended += 1;
        node.free += 1;
        for (const [index, queue] of state.waiting.entries())
          if (queue.length > 0) askFor(state, node, index);
      }),
    ),
  );
}

/** The neighbour ends the turns of the node in one transaction, and then all of them can run again. */
function loseNode(state: State, tell: (ms: number) => void): void {
  const { nodes, setting, simulation, costs } = state;
  const [lost] = nodes;
  if (lost === undefined) return;
  const diedAt = simulation.now;
  lost.isAlive = false;
  simulation.after(DETECT_MS, () =>
    serverOf(state).call(costs.recovered, setting.slots - lost.free, () => tell(simulation.now - diedAt)),
  );
}
