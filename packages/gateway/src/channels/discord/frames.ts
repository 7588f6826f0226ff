import { GatewayDispatchEvents, GatewayOpcodes } from '@discordjs/core';
import type { WebSocketShard } from '@discordjs/ws';
import { reasonOf } from '@plugboard/protocol';

/** The part of a `WebSocket` that the library does not show. */
export interface Socket {
  on(event: 'error', ignore: () => void): void;
  terminate(): void;
}

/** The socket of the present connection, also while it is being opened. */
export function socketOf(shard: WebSocketShard): Socket | null {
  return Reflect.get(shard, 'connection') as Socket | null;
}

/**
 * Checks each frame before `WebSocketShard.onMessage`, which rejects without a `catch` on a malformed one: an unhandled
 * rejection ends the process. After `onUnreadable`, all further frames of that socket are dropped.
 */
export function guardFrames(shard: WebSocketShard, onUnreadable: (problem: string) => void): void {
  const take = Reflect.get(shard, 'onMessage') as (data: unknown, isBinary: boolean) => Promise<void>;
  let broken: Socket | null = null;
  let greeted: Socket | null = null;
  const refuse = (socket: Socket | null, problem: string): void => {
    if (socket !== null && socket === broken) return;
    broken = socket;
    onUnreadable(problem);
  };
  Reflect.set(shard, 'onMessage', async (data: unknown, isBinary: boolean): Promise<void> => {
    const socket = socketOf(shard);
    if (socket !== null && socket === broken) return;
    const frame = readFrame(data);
    const isHello = frame?.op === GatewayOpcodes.Hello;
    // A second heartbeat timer would replace the first without clearing it.
    const problem = isHello && greeted === socket ? 'A second Hello.' : frameProblem(frame);
    if (problem !== undefined) return refuse(socket, problem);
    if (isHello) greeted = socket;
    try {
      await take.call(shard, data, isBinary);
    } catch (error) {
      refuse(socket, reasonOf(error));
    }
  });
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readFrame(data: unknown): Fields | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const frame: unknown = JSON.parse(data);
    return isFields(frame) ? frame : undefined;
  } catch {
    return undefined;
  }
}

/** Why the library cannot take a frame; undefined when it can. Frames of an unknown `op` have no effect. */
function frameProblem(frame: Fields | undefined): string | undefined {
  if (frame === undefined) return 'A frame is not a JSON object.';
  const { op, d } = frame;
  if (typeof op !== 'number') return 'A frame has no opcode.';
  if (op === GatewayOpcodes.Hello && !isInterval(isFields(d) ? d.heartbeat_interval : undefined))
    return 'A Hello has no heartbeat interval.';
  if (op === GatewayOpcodes.InvalidSession && typeof d !== 'boolean')
    return 'An Invalid Session does not say whether it can be resumed.';
  return op === GatewayOpcodes.Dispatch ? dispatchProblem(frame) : undefined;
}

/** Bounds of `heartbeat_interval`; `setInterval` fires at once above the upper one. */
const SHORTEST_INTERVAL_MS = 10;
const LONGEST_INTERVAL_MS = 2 ** 31 - 1;

function isInterval(value: unknown): boolean {
  return typeof value === 'number' && value >= SHORTEST_INTERVAL_MS && value <= LONGEST_INTERVAL_MS;
}

/** A sequence above this is no count of events: `Sequence` would take all later events for repetitions. */
const LARGEST_SEQUENCE = 2 ** 31 - 1;

function dispatchProblem({ t, s, d }: Fields): string | undefined {
  if (typeof t !== 'string') return 'An event has no type.';
  const isSequence = Number.isInteger(s) && Number(s) >= 0 && Number(s) <= LARGEST_SEQUENCE;
  if (!isSequence) return 'An event has no sequence.';
  if (t !== GatewayDispatchEvents.Ready) return undefined;
  const { session_id: session, resume_gateway_url: url } = isFields(d) ? d : {};
  const isReady = typeof session === 'string' && session !== '' && isGatewayUrl(url);
  return isReady ? undefined : 'A READY names no session.';
}

/** The library rejects without a `catch` on any other address. */
export function isGatewayUrl(value: unknown): value is string {
  return typeof value === 'string' && /^wss?:\/\//i.test(value) && URL.canParse(value);
}
