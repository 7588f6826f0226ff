import type { GatewayDispatchPayload } from '@discordjs/core';
import {
  Encoding,
  type FetchingStrategyOptions,
  type SessionInfo,
  WebSocketShard,
  WebSocketShardEvents,
  WebSocketShardStatus,
} from '@discordjs/ws';
import { type Clock, sleep } from '../../clock.ts';
import { settledWithin } from '../../delivery/timeout.ts';
import { SendError } from '../channel.ts';
import { isSessionOver, reasonToStop } from './close-codes.ts';
import { guardFrames, isGatewayUrl, socketOf } from './frames.ts';
import type { IdentifyLimit } from './identify-limit.ts';
import type { GatewaySession } from './memory.ts';
import { createSequence, type Sequence } from './sequence.ts';

/** A `WebSocketShard` with its session. */
export interface Connection {
  /** Settles when the session has begun or goes on. Rejects with `never` when Discord refuses the token or the intents. */
  open(): Promise<void>;
  /** The session as it could be resumed now. */
  readonly session: GatewaySession | undefined;
  /** Closes the connection with 4200, after which the session can be resumed. */
  close(): Promise<void>;
}

interface ConnectionOptions {
  readonly token: string;
  readonly intents: number;
  /** Address of the gateway for a new session. */
  readonly url: string;
  /** A session to resume. */
  readonly resumes: GatewaySession | undefined;
  readonly identify: IdentifyLimit;
  readonly clock: Clock;
  /** Calls `kept` when the event is on the disk, or needs not be. */
  readonly onEvent: (payload: GatewayDispatchPayload, kept: () => void) => void;
  /** READY has come: Discord does not repeat events of an earlier session. */
  readonly onNewSession: () => void;
  /** The kept sequence has changed. */
  readonly onKept: () => void;
  readonly onClosed: (code: number) => void;
  /** A frame was malformed: its connection is cut, and opened again. */
  readonly onUnreadable: (problem: string) => void;
  /** Discord refuses the connection for good. */
  readonly onRefused: (reason: string) => void;
}

/** Timeout of READY or RESUMED, over all attempts to connect. */
const OPEN_MS = 60_000;

/** Timeout of the close frame of the other side; the library waits for 30 s. */
const CLOSE_MS = 1_000;

/** The library waits for 0.5 s before it connects again; after several failures that is too short. */
const LONGEST_BACKOFF_MS = 30_000;

/** `State.unreadable` starts anew after this time without a malformed frame. */
const READABLE_MS = 5 * 60_000;

/** Each RESUME repeats a malformed event: after 3 of them, the next connection sends IDENTIFY. */
const MOST_UNREADABLE = 3;

/** Any code but 1000 and 1001 keeps the session on the side of Discord. */
const KEEP_SESSION = 4_200;

interface State extends ConnectionOptions {
  info: SessionInfo | undefined;
  sequence: Sequence;
  /** The code with which the last connection was closed; undefined since the next one was opened. */
  closedWith: number | undefined;
  failures: number;
  /** Connections in a row that were cut after a malformed frame. */
  unreadable: number;
  /** When the last malformed frame came, by `Clock.now()`. */
  unreadableAt: number;
  isClosing: boolean;
  refusal: string | undefined;
}

export function createConnection(options: ConnectionOptions): Connection {
  const state = createState(options);
  const shard = createShard(state);
  return {
    open: () => openShard(state, shard),
    get session() {
      const { info, sequence } = state;
      if (info === undefined) return undefined;
      return { sessionId: info.sessionId, resumeUrl: info.resumeURL, sequence: sequence.kept };
    },
    async close() {
      state.isClosing = true;
      await settledWithin(options.clock, CLOSE_MS, shard.destroy({ code: KEEP_SESSION }));
      terminate(shard);
    },
  };
}

function createState(options: ConnectionOptions): State {
  const { resumes, onKept } = options;
  const isUsable = resumes !== undefined && isGatewayUrl(resumes.resumeUrl);
  const info = isUsable ? infoOf(resumes) : undefined;
  return {
    ...options,
    info,
    sequence: createSequence(resumes?.sequence ?? 0, onKept),
    closedWith: undefined,
    failures: 0,
    unreadable: 0,
    unreadableAt: 0,
    isClosing: false,
    refusal: undefined,
  };
}

function infoOf({ sessionId, resumeUrl, sequence }: GatewaySession): SessionInfo {
  return { sessionId, resumeURL: resumeUrl, sequence, shardId: 0, shardCount: 1 };
}

function createShard(state: State): WebSocketShard {
  const shard = new WebSocketShard(
    {
      options: shardOptions(state),
      retrieveSessionInfo: () => readSession(state, shard),
      updateSessionInfo: (_id, info) => storeSession(state, info),
      waitForIdentify: (_id, signal) => state.identify.wait(signal),
    },
    0,
  );
  guardFrames(shard, (problem) => cutUnreadable(state, shard, problem));
  shard.on(WebSocketShardEvents.Dispatch, (payload) => {
    const kept = state.sequence.begin(payload.s);
    if (kept !== undefined && !state.isClosing) state.onEvent(payload, kept);
  });
  shard.on(WebSocketShardEvents.Hello, () => {
    state.closedWith = undefined;
  });
  for (const event of [WebSocketShardEvents.Ready, WebSocketShardEvents.Resumed] as const)
    shard.on(event, () => {
      state.failures = 0;
    });
  shard.on(WebSocketShardEvents.Closed, (code) => noteClosed(state, code));
  // Both are followed by `Closed`. Without a listener, an `error` would end the process.
  shard.on(WebSocketShardEvents.Error, () => {});
  shard.on(WebSocketShardEvents.SocketError, () => {});
  return shard;
}

function shardOptions({ token, intents, url }: State): FetchingStrategyOptions {
  return {
    ...{ token, intents, shardCount: 1, version: '10', encoding: Encoding.JSON, compression: null },
    ...{ useIdentifyCompression: false, initialPresence: null, largeThreshold: null },
    ...{ handshakeTimeout: 30_000, helloTimeout: 30_000, readyTimeout: 30_000 },
    identifyProperties: { browser: 'plugboard', device: 'plugboard', os: process.platform },
    gatewayInformation: {
      ...{ url, shards: 1 },
      session_start_limit: { total: 1, remaining: 1, reset_after: 0, max_concurrency: 1 },
    },
  };
}

/** `WebSocketShard` calls it before it connects, for each heartbeat and for each event. */
async function readSession(state: State, shard: WebSocketShard): Promise<SessionInfo | null> {
  if (shard.status === WebSocketShardStatus.Idle) {
    // `destroy` during a reconnect does not cancel it. A promise that never settles does.
    if (state.isClosing) return new Promise(() => {});
    const failures = Math.max(state.failures, state.unreadable);
    const ms = failures < 2 ? 0 : Math.min(LONGEST_BACKOFF_MS, 500 * 2 ** (failures - 2));
    if (ms > 0) await sleep(state.clock, ms);
    if (state.isClosing) return new Promise(() => {});
  }
  const { info, sequence } = state;
  return info === undefined ? null : { ...info, sequence: sequence.kept };
}

/** `null` also comes when the gateway cannot be reached, which is no reason to give a session up. */
function storeSession(state: State, info: SessionInfo | null): void {
  if (state.isClosing) return;
  if (info === null) {
    const { closedWith } = state;
    if (closedWith !== undefined && !isSessionOver(closedWith)) return;
    state.info = undefined;
    state.onKept();
  } else if (info.sessionId !== state.info?.sessionId) {
    state.info = info;
    state.sequence = createSequence(info.sequence, state.onKept);
    state.onNewSession();
  }
}

/** The library then connects again, as after any connection that was cut. */
function cutUnreadable(state: State, shard: WebSocketShard, problem: string): void {
  const { clock, onUnreadable, onKept } = state;
  state.unreadable = clock.now() - state.unreadableAt > READABLE_MS ? 1 : state.unreadable + 1;
  state.unreadableAt = clock.now();
  if (state.unreadable >= MOST_UNREADABLE) {
    state.info = undefined;
    onKept();
  }
  if (!state.isClosing) onUnreadable(problem);
  terminate(shard);
}

function noteClosed(state: State, code: number): void {
  state.closedWith = code;
  state.failures += 1;
  if (state.isClosing) return;
  const reason = reasonToStop(code);
  if (reason === undefined) return state.onClosed(code);
  state.refusal = reason;
  state.onRefused(reason);
}

async function openShard(state: State, shard: WebSocketShard): Promise<void> {
  const timer = new AbortController();
  const late = sleep(state.clock, OPEN_MS, timer.signal).then(() => {
    throw new SendError('later', 'The gateway of Discord did not answer in time.');
  });
  late.catch(() => {});
  const connected = shard.connect().catch(() => {
    const { refusal } = state;
    throw refusal === undefined
      ? new SendError('later', 'The gateway of Discord closed the connection.')
      : new SendError('never', refusal, { stopsChannel: true });
  });
  connected.catch(() => {});
  try {
    await Promise.race([connected, late]);
  } finally {
    timer.abort();
  }
}

/** Breaks a connection whose other side does not answer, or that is still being opened: `destroy` leaves that open. */
function terminate(shard: WebSocketShard): void {
  const socket = socketOf(shard);
  socket?.on('error', () => {});
  socket?.terminate();
}
