import { type Ready, reasonOf, type Tasks, type Turn } from '@plugboard/protocol';
import { answerTurn } from '../answer.ts';
import { type Asks, createAsks } from '../asks.ts';
import type { Handler } from '../handler.ts';
import type { InputLine } from '../input.ts';
import { applyInput, emitEvent, type Request, type Station } from '../station.ts';
import { joinTurns, type Steering } from '../steering.ts';
import type { Life } from './life.ts';
import { findSession, type History, listSessions } from './sessions.ts';

/** A turn that the agent begins without a message of the host, after an alarm or a background task. */
export interface Unasked {
  /** Absent if the turn continues a request of the host. */
  readonly origin?: 'alarm' | 'task';
  readonly turn: Turn;
  readonly handler: Handler;
}

export interface ResidentOptions {
  readonly ready: Ready;
  readonly now: () => Date;
  /** The agent has one conversation: turns of all sessions run one after the other. */
  readonly isOneConversation?: boolean;
  /** Stores a message before it is acknowledged. A thrown error refuses the message (`not-taken`). */
  readonly admit?: (turn: Turn) => void | Promise<void>;
  /** What was said before, for dialects whose hosts open sessions again. */
  readonly history?: History;
  /** Source of turns that the agent begins itself, and of `tasks` snapshots. */
  readonly unasked?: AsyncIterable<Unasked | Tasks>;
}

interface Work extends Unasked {
  /** True for messages of the host: only they can be steered into the running turn. */
  readonly asked: boolean;
}

/** Turns of one conversation, run one after the other. */
interface Lane {
  /** Work that waits for `current` to end; `steering.take` may take `asked` messages out earlier. */
  readonly queue: Work[];
  readonly listeners: Set<() => void>;
  current: { readonly turnId: string; readonly controller: AbortController } | undefined;
  /** Settles when `queue` is empty and no turn runs. */
  idle: Promise<void>;
}

interface Resident {
  readonly station: Station;
  readonly handler: Handler;
  readonly options: ResidentOptions;
  readonly life: Life;
  readonly asks: Asks;
  /** By session key; one lane under `''` where host or agent have one conversation. */
  readonly lanes: Map<string, Lane>;
}

/** Answers turns until stdin ends, then finishes the queued turns. Resolves to the exit code. */
export async function serveResident(
  station: Station,
  handler: Handler,
  lines: AsyncIterable<InputLine>,
  life: Life,
  options: ResidentOptions,
): Promise<number> {
  const asks = createAsks(station);
  const resident: Resident = { station, handler, options, life, asks, lanes: new Map() };
  life.signal.addEventListener('abort', () => {
    for (const { queue, current } of resident.lanes.values()) {
      queue.length = 0;
      current?.controller.abort(life.signal.reason);
    }
  });
  applyInput(station, { type: 'started' });
  await emitEvent(station, undefined, options.ready);
  if (options.unasked !== undefined) void takeUnasked(resident, options.unasked);
  for await (const line of lines) {
    const { requests, written } = applyInput(station, { type: 'line', ...line });
    await written;
    for (const request of requests) await handleRequest(resident, request);
    if (life.signal.aborted) break;
  }
  for (const request of applyInput(station, { type: 'input-end' }).requests)
    await handleRequest(resident, request);
  asks.close();
  for (const { idle } of resident.lanes.values()) await idle;
  return 0;
}

/** An error of `unasked` is logged and stops only this source: turns of the host go on. */
async function takeUnasked(resident: Resident, unasked: AsyncIterable<Unasked | Tasks>): Promise<void> {
  const { station, life } = resident;
  try {
    for await (const next of unasked) {
      if ('type' in next) await emitEvent(station, undefined, next);
      else {
        if (life.signal.aborted) return;
        const lane = laneOf(resident, next.turn);
        lane.queue.push({ ...next, asked: false });
        startNext(resident, lane);
      }
    }
  } catch (error) {
    station.log(`The agent will begin no more turns by itself: ${reasonOf(error)}`);
  }
}

function handleRequest(resident: Resident, request: Request): Promise<void> | undefined {
  const { station, options, asks } = resident;
  switch (request.type) {
    case 'turn':
      return admitTurn(resident, request.turn);
    case 'interrupt':
      interruptTurn(resident, request.turnId);
      return undefined;
    case 'open-session':
      void findSession(request, options.history).then((found) => applyInput(station, found));
      return undefined;
    case 'list-sessions':
      void listSessions(request, options.history, station.log).then((list) => applyInput(station, list));
      return undefined;
    default:
      asks.take(request);
      return undefined;
  }
}

function laneOf({ lanes, station, options }: Resident, { session }: Turn): Lane {
  const isOne = station.dialect.capabilities.conversations === 'one' || options.isOneConversation === true;
  const key = isOne ? '' : session.key;
  const lane = lanes.get(key) ?? {
    queue: [],
    listeners: new Set(),
    current: undefined,
    idle: Promise.resolve(),
  };
  lanes.set(key, lane);
  return lane;
}

async function admitTurn(resident: Resident, turn: Turn): Promise<void> {
  const { station, options, handler } = resident;
  try {
    const kept = options.admit?.(turn);
    // No `await` after a synchronous `admit`: another message could enter `queue` between storing and pushing this one.
    if (kept !== undefined) await kept;
  } catch (error) {
    const message = `The message was not taken: ${reasonOf(error)}`;
    return applyInput(station, { type: 'not-taken', turnId: turn.id, message }).written;
  }
  const lane = laneOf(resident, turn);
  lane.queue.push({ turn, handler, asked: true });
  if (lane.current === undefined) return startNext(resident, lane);
  await emitEvent(station, lane.current.turnId, {
    type: 'queued',
    position: lane.queue.length,
    input: turn.id,
  });
  for (const listener of lane.listeners) listener();
}

/** Aborts the running turn, or removes a queued turn and emits its `end` as cancelled. */
function interruptTurn({ lanes, station }: Resident, turnId: string | undefined): void {
  const reason = Object.assign(new Error('The host interrupted the turn.'), { code: 'interrupted' });
  for (const { queue, current } of lanes.values()) {
    if (current !== undefined && (turnId === undefined || current.turnId === turnId))
      return current.controller.abort(reason);
    const at = queue.findIndex(({ turn, asked }) => asked && turn.id === turnId);
    if (at === -1) continue;
    queue.splice(at, 1);
    return void emitEvent(station, turnId, { type: 'end', outcome: 'cancelled', text: '' });
  }
}

function startNext(resident: Resident, lane: Lane): void {
  if (lane.current === undefined) lane.idle = runQueue(resident, lane);
}

async function runQueue(resident: Resident, lane: Lane): Promise<void> {
  for (let next = lane.queue.shift(); next !== undefined; next = lane.queue.shift()) {
    const controller = new AbortController();
    lane.current = { turnId: next.turn.id, controller };
    await runTurn(resident, lane, next, controller);
    lane.current = undefined;
  }
}

async function runTurn(
  resident: Resident,
  lane: Lane,
  work: Work,
  controller: AbortController,
): Promise<void> {
  const { station, options, asks } = resident;
  const { id: turnId } = work.turn;
  const at = options.now().toISOString();
  // With `conversations: 'one'` the id in `ready` holds for every line: a `session` event must not change it.
  const isFixed = station.dialect.capabilities.conversations === 'one';
  await emitEvent(station, turnId, {
    type: 'accepted',
    at,
    ...(work.asked ? { inputs: [turnId] } : {}),
    ...(work.origin === undefined ? {} : { origin: work.origin }),
  });
  await answerTurn(work.turn, work.handler, {
    emit: (event) =>
      isFixed && event.type === 'session' ? Promise.resolve() : emitEvent(station, turnId, event),
    signal: controller.signal,
    steering: steeringOf(station, lane, work.turn),
    ask: asks.by(turnId),
    lastWordsMs: resident.life.lastWordsMs,
  });
}

/** Steering takes `asked` work of the same session out of `queue`. Work that stays there runs as a later turn. */
function steeringOf(station: Station, { queue, listeners }: Lane, running: Turn): Steering {
  const isAsked = ({ asked, turn }: Work): boolean => asked && turn.session.key === running.session.key;
  return {
    get waiting() {
      return queue.filter(isAsked).length;
    },
    onMessage(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async take() {
      const taken = queue.filter(isAsked).map(({ turn }) => turn);
      if (taken.length === 0) return undefined;
      queue.splice(0, queue.length, ...queue.filter((work) => !isAsked(work)));
      await emitEvent(station, running.id, { type: 'steered', inputs: taken.map(({ id }) => id) });
      return joinTurns(taken);
    },
  };
}
