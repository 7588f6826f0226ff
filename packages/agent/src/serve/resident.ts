import type { Control, ControlReply, Ready, Request, Tasks, Turn } from '@plugboard/protocol';
import { reasonOf } from '@plugboard/protocol';
import { answerTurn } from '../answer.ts';
import type { Handler } from '../handler.ts';
import { NOBODY_TO_ASK } from '../permission.ts';
import { emit, type Station, step } from '../station.ts';
import { joinTurns, type Steering } from '../steering.ts';
import type { Life } from './life.ts';

/** Work that an agent starts by itself: an alarm that rang, a background task that is done. */
export interface Unasked {
  /** Absent when it answers something that a host has asked before. */
  readonly origin?: 'alarm' | 'task';
  readonly turn: Turn;
  readonly handler: Handler;
}

/** What a resident agent is. */
export interface ResidentOptions {
  readonly ready: Ready;
  readonly now: () => Date;
  /** Keeps a message before the host is told that it was taken; what it throws refuses the message. */
  readonly admit?: (turn: Turn) => void | Promise<void>;
  /** Hands over work to be done in a turn of its own, between the others, and what has become of background tasks. */
  readonly unasked?: AsyncIterable<Unasked | Tasks>;
}

interface Work extends Unasked {
  /** It is a message of the host, which may still be taken into the running turn. */
  readonly asked: boolean;
}

/** One agent process and what it has to do. */
interface Resident {
  readonly station: Station;
  readonly handler: Handler;
  readonly options: ResidentOptions;
  readonly life: Life;
  /** Messages that came during a turn; any of them may still be taken into it. */
  readonly queue: Work[];
  readonly listeners: Set<() => void>;
  current: AbortController | undefined;
  /** Settles when there is nothing left to do. */
  idle: Promise<void>;
}

/** Answers turns for as long as the host keeps input open, then finishes what is left; resolves to the exit code. */
export async function serveResident(
  station: Station,
  handler: Handler,
  lines: AsyncIterable<string>,
  life: Life,
  options: ResidentOptions,
): Promise<number> {
  const resident: Resident = {
    station,
    handler,
    options,
    life,
    queue: [],
    listeners: new Set(),
    current: undefined,
    idle: Promise.resolve(),
  };
  life.signal.addEventListener('abort', () => {
    resident.queue.length = 0;
    resident.current?.abort(life.signal.reason);
  });
  await emit(station, options.ready);
  if (options.unasked !== undefined) void takeUnasked(resident, options.unasked);
  for await (const line of lines) {
    for (const request of step(station, line)) await receive(resident, request);
    if (life.signal.aborted) break;
  }
  await resident.idle;
  return 0;
}

/** A source that fails gives no more turns, and ends none. */
async function takeUnasked(resident: Resident, unasked: AsyncIterable<Unasked | Tasks>): Promise<void> {
  const { station, life } = resident;
  try {
    for await (const next of unasked) {
      if ('type' in next) await emit(station, next);
      else {
        if (life.signal.aborted) return;
        resident.queue.push({ ...next, asked: false });
        startNext(resident);
      }
    }
  } catch (error) {
    station.log(`The agent will begin no more turns by itself: ${reasonOf(error)}`);
  }
}

function receive(resident: Resident, request: Request): Promise<void> | undefined {
  switch (request.type) {
    case 'turn':
      return admit(resident, request.turn);
    case 'control':
      return control(resident, request.action);
    case 'permission':
      return undefined;
    case 'fault':
      return reply(resident, { type: 'complaint', message: request.fault.message });
  }
}

async function admit(resident: Resident, turn: Turn): Promise<void> {
  try {
    const kept = resident.options.admit?.(turn);
    // Nothing may come between the two where nothing has to be waited for: what is kept and what is queued are the same.
    if (kept !== undefined) await kept;
  } catch (error) {
    const message = reasonOf(error);
    return reply(resident, { type: 'complaint', message: `The message was not taken: ${message}` });
  }
  resident.queue.push({ turn, handler: resident.handler, asked: true });
  if (resident.current === undefined) startNext(resident);
  else {
    await emit(resident.station, { type: 'queued', position: resident.queue.length });
    for (const listener of resident.listeners) listener();
  }
}

function control(resident: Resident, action: Control): Promise<void> {
  const running = resident.current !== undefined;
  if (action === 'heartbeat') return reply(resident, { type: 'heartbeat' });
  if (action === 'status') return reply(resident, { type: 'status', running });
  if (!running) return reply(resident, { type: 'complaint', message: 'No turn is running.' });
  const reason = Object.assign(new Error('The host interrupted the turn.'), { code: 'interrupted' });
  resident.current?.abort(reason);
  return Promise.resolve();
}

function reply({ station }: Resident, answer: ControlReply): Promise<void> {
  return station.output.write(station.dialect.agent.answer?.(station.state, answer) ?? '');
}

function startNext(resident: Resident): void {
  if (resident.current === undefined) resident.idle = work(resident);
}

/** Works off what waits, one turn at a time. */
async function work(resident: Resident): Promise<void> {
  for (let next = resident.queue.shift(); next !== undefined; next = resident.queue.shift()) {
    resident.current = new AbortController();
    await run(resident, next, resident.current);
    resident.current = undefined;
  }
}

async function run(resident: Resident, work: Work, controller: AbortController): Promise<void> {
  const { station, options } = resident;
  const at = options.now().toISOString();
  await emit(station, {
    type: 'accepted',
    at,
    ...(work.origin === undefined ? {} : { origin: work.origin }),
  });
  await answerTurn(work.turn, work.handler, {
    // One process is one identity, told by `ready`: a handler must not change it between two lines.
    emit: (event) => (event.type === 'session' ? Promise.resolve() : emit(station, event)),
    signal: controller.signal,
    steering: steeringOf(resident),
    askPermission: NOBODY_TO_ASK,
    lastWordsMs: resident.life.lastWordsMs,
  });
}

/** What waits in the queue can be taken into the running turn; the rest gets turns of its own. */
function steeringOf(resident: Resident): Steering {
  const { queue, station } = resident;
  const takeAll = (): Turn[] => {
    const taken = queue.filter(isAsked);
    if (taken.length > 0) queue.splice(0, queue.length, ...queue.filter((work) => !isAsked(work)));
    return taken.map(({ turn }) => turn);
  };
  return {
    get waiting() {
      return queue.filter(isAsked).length;
    },
    onMessage(listener) {
      resident.listeners.add(listener);
      return () => resident.listeners.delete(listener);
    },
    handOver: () => joinTurns(takeAll()),
    async take() {
      const taken = takeAll();
      if (taken.length > 0) await emit(station, { type: 'steered', count: taken.length });
      return joinTurns(taken);
    },
  };
}

function isAsked({ asked }: Work): boolean {
  return asked;
}
