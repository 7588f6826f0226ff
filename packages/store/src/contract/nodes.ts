import type { JsonValue } from '@plugboard/protocol';

/**
 * The gateways that share a store, as one of them sees them. A node is alive while one connection of its process holds the
 * lock of its name; the server frees that lock when the process dies.
 */
export interface Nodes {
  /** Name of this node, for `Holder.node`. */
  readonly name: string;
  /** False while the connection that proves this node alive is broken: other nodes may take its sessions over. */
  readonly isAlive: boolean;
  /** Names of the other nodes that were alive at the last look. */
  readonly peers: readonly string[];
  /** Size of the connection pool: `open` includes `idle`; `waiting` counts calls without a connection. */
  readonly connections: { readonly open: number; readonly idle: number; readonly waiting: number };
  /** Starts to watch the other nodes, and to hear from them. Call once. */
  attend(handlers: NodeHandlers): void;
  /** Sends `news` to the other nodes, at most 7,000 bytes of JSON. Best effort: each of them also looks for itself. */
  publish(news: JsonValue): void;
  /**
   * Asks another node, and resolves to what its `onQuestion` resolves to. Rejects with `unavailable` when it does not answer
   * within 5 s, and with the message of the other node when `onQuestion` rejects.
   */
  ask(node: string, question: JsonValue): Promise<JsonValue>;
  /** Takes a lock that one node has at a time, such as the connection of a channel. Resolves to whether this node has it. */
  takeLock(name: string): Promise<boolean>;
  releaseLock(name: string): Promise<void>;
  /** Stores the state of this node for `list`, with the time as `NodeRecord.seenAt`. */
  report(state: NodeState): Promise<void>;
  /** Nodes that are alive, and those that ended or died within the last day. */
  list(): Promise<readonly NodeRecord[]>;
}

export interface NodeHandlers {
  /** News of another node. */
  onNews(news: JsonValue): void;
  /** News may have been missed, because the connection was broken. */
  onNewsLost(): void;
  /** A question of another node. */
  onQuestion(question: JsonValue): Promise<JsonValue>;
  /** Another node has died. It cannot come back before this settles. */
  onDeath(node: string): Promise<void>;
  /** Another node has joined, ended or died. */
  onChange(): void;
  /** `isAlive` has changed. All locks are lost when it is false. */
  onAlive(isAlive: boolean): void;
}

/** The load of a node, and its address. */
export interface NodeState {
  readonly url?: string | undefined;
  /** Number of running turns. */
  readonly running: number;
  /** Number of agents that keep a process between turns. */
  readonly residents: number;
  readonly isDraining: boolean;
}

export interface NodeRecord extends NodeState {
  readonly name: string;
  readonly version: string;
  readonly startedAt: number;
  /** The last `report`. */
  readonly seenAt: number;
  readonly state: 'alive' | 'ended' | 'died';
}
