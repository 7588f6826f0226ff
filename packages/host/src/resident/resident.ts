import type { Control, ControlReply, Event, ResidentHost, Settings, Turn } from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';
import { type Deadline, startDeadline } from '../run/deadline.ts';
import { type QueueOwner, runOf } from '../run/queue.ts';
import type { Connection, Said } from './connection.ts';
import { createJob, hasBacklog, type Job, tell } from './job.ts';
import { createReplies, type Replies } from './replies.ts';
import { type Routing, route } from './routing.ts';
import { createUnaskedTurns, type UnaskedTurns } from './unasked.ts';

/** How long the agent may take to begin on steering that came too late for its turn. */
const FOLLOW_UP_MS = 1_000;

/** How long the agent may take to heed an interrupt; the grace of its process comes after that. */
const INTERRUPT_MS = 2_000;

/** Starts a process; what it says goes to `onSaid`, the last time with `exited` set. */
export type Connect = (onSaid: (said: readonly Said[], exited: boolean) => void) => Connection;

/** An agent with one process for many turns, and what it has to do. */
export interface Resident {
  readonly profile: Profile;
  readonly host: ResidentHost<Settings, unknown>;
  readonly connect: Connect;
  readonly routing: Routing;
  readonly replies: Replies;
  readonly unasked: UnaskedTurns;
  readonly listeners: ((event: Event) => void)[];
  /** Turns that the agent has not been told of yet. */
  readonly waiting: Job[];
  connection: Connection | undefined;
  followUp: NodeJS.Timeout | undefined;
  /** The clocks of the turn that was asked. */
  deadline: Deadline | undefined;
  /** Those who wait until there is nothing left to do. */
  readonly idleWaiters: (() => void)[];
  closed: boolean;
}

export function createResident(
  profile: Profile,
  host: ResidentHost<Settings, unknown>,
  connect: Connect,
): Resident {
  const resident: Resident = {
    profile,
    host,
    connect,
    routing: {
      asked: undefined,
      unasked: undefined,
      steersOutstanding: 0,
      interruptsOutstanding: 0,
      startUnasked: () => startUnasked(resident),
      onControl: (reply) => resident.replies.deliver(reply),
      onIdle(event) {
        for (const listener of resident.listeners) listener(event);
      },
      onEnded: () => afterTurn(resident),
    },
    replies: createReplies(),
    unasked: createUnaskedTurns(),
    listeners: [],
    waiting: [],
    connection: undefined,
    followUp: undefined,
    deadline: undefined,
    idleWaiters: [],
    closed: false,
  };
  return resident;
}

/** Admits a turn; it begins when those before it have ended. */
export function admit(resident: Resident, turn: Turn): Job {
  const job: Job = createJob(
    ownerOf(resident, () => stopTurn(resident, job, 'cancel')),
    turn,
  );
  resident.waiting.push(job);
  if (resident.routing.steersOutstanding === 0) startNext(resident);
  return job;
}

/** Asks the agent to stop a turn; one that does not within the grace loses its process. */
export function stopTurn(resident: Resident, job: Job, cause: 'cancel' | 'timeout'): void {
  const { connection, routing, profile } = resident;
  if (routing.asked !== job || connection === undefined) return withdraw(resident, job);
  interrupt(resident);
  const patience = Math.min(profile.settings.killGraceSecs * 1000, INTERRUPT_MS);
  const timer = setTimeout(() => connection.child.stop(cause), patience);
  job.queue.result.promise.then(() => clearTimeout(timer));
}

/** Takes a turn back that has not begun. */
export function withdraw(resident: Resident, job: Job): void {
  const at = resident.waiting.indexOf(job);
  if (at === -1) return;
  resident.waiting.splice(at, 1);
  tell(job, { type: 'end', outcome: 'cancelled', text: '' });
}

/** Asks the agent to end the turn it is at. False when there is none. */
export function interrupt(resident: Resident): boolean {
  if (!isBusy(resident)) return false;
  resident.routing.interruptsOutstanding++;
  resident.connection?.send(resident.host.control('interrupt'));
  return true;
}

/** Gives the running turn more input. False when there is none. */
export function steer(resident: Resident, turn: Turn): boolean {
  if (!isBusy(resident)) return false;
  resident.routing.steersOutstanding++;
  resident.connection?.send(resident.host.encode(turn));
  return true;
}

/** Asks for something that is answered at once; undefined when nobody answers. */
export async function ask(
  resident: Resident,
  action: Exclude<Control, 'interrupt'>,
): Promise<ControlReply | undefined> {
  if (resident.connection === undefined) return undefined;
  const reply = resident.replies.expect(action);
  resident.connection.send(resident.host.control(action));
  return reply;
}

/** Whether a turn is running, asked for or not. */
export function isBusy({ connection, routing }: Resident): boolean {
  return connection !== undefined && (routing.asked ?? routing.unasked) !== undefined;
}

function startNext(resident: Resident): void {
  const { routing, waiting, closed } = resident;
  if (routing.asked !== undefined || routing.unasked !== undefined || closed) return;
  const job = waiting.shift();
  if (job?.turn === undefined) return;
  routing.asked = job;
  send(resident, job.turn);
  watchTime(resident, job);
}

/** The process, begun now if there is none: without a turn it may still have something to do. */
export function connected(resident: Resident): Connection {
  resident.connection ??= resident.connect((said, exited) => receive(resident, said, exited));
  return resident.connection;
}

function send(resident: Resident, turn: Turn): void {
  const connection = connected(resident);
  resident.host.noteSent(connection.state);
  connection.send(resident.host.encode(turn));
}

function receive(resident: Resident, said: readonly Said[], exited: boolean): void {
  const { routing, replies } = resident;
  resident.deadline?.heard();
  if (exited) {
    resident.connection = undefined;
    routing.steersOutstanding = 0;
    clearTimeout(resident.followUp);
    replies.abandon();
  }
  for (const one of said) route(routing, one);
  // What no turn holds back must not hold back the process.
  if (!hasBacklog(routing.asked) && !hasBacklog(routing.unasked)) resident.connection?.drained();
  if (exited) startNext(resident);
  tellIdle(resident);
}

/** Settles when no turn runs or waits, and no steering is on its way. */
export function whenIdle(resident: Resident): Promise<void> {
  return new Promise((resolve) => {
    resident.idleWaiters.push(resolve);
    tellIdle(resident);
  });
}

function tellIdle({ routing, waiting, idleWaiters }: Resident): void {
  const busy = routing.asked !== undefined || routing.unasked !== undefined || waiting.length > 0;
  if (busy || routing.steersOutstanding > 0) return;
  for (const resolve of idleWaiters.splice(0)) resolve();
}

function watchTime(resident: Resident, job: Job): void {
  const deadline = startDeadline(resident.profile.settings, (expiry) => {
    job.expiry = expiry;
    stopTurn(resident, job, 'timeout');
  });
  resident.deadline = deadline;
  job.queue.result.promise.then(() => deadline.clear());
}

/** Steering that the turn has not taken in gets a turn of its own, which must not be taken for the next one of ours. */
function afterTurn(resident: Resident): void {
  const { routing } = resident;
  clearTimeout(resident.followUp);
  if (resident.closed) return;
  if (routing.steersOutstanding === 0) return startNext(resident);
  resident.followUp = setTimeout(() => {
    routing.steersOutstanding = 0;
    startNext(resident);
    tellIdle(resident);
  }, FOLLOW_UP_MS);
}

function startUnasked(resident: Resident): Job {
  clearTimeout(resident.followUp);
  const job = createJob(ownerOf(resident, () => {}));
  if (resident.unasked.wanted) resident.unasked.add(runOf(job.queue));
  else job.queue.resultWanted = true;
  return job;
}

function ownerOf(resident: Resident, onAbandoned: () => void): QueueOwner {
  return { onDrained: () => resident.connection?.drained(), onAbandoned };
}
