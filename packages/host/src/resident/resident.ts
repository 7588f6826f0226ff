import type { Control, ControlReply, Event, ResidentHost, Settings, Turn } from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';
import { type Clock, createClock } from '../run/clock.ts';
import { type Deadline, startDeadline } from '../run/deadline.ts';
import { createFeed, type Feed } from '../run/feed.ts';
import type { Run } from '../run/queue.ts';
import type { Connection, ConnectionListener, Said } from './connection.ts';
import { tellIdle } from './idle.ts';
import { createJob, hasBacklog, type Job, ownerOf } from './job.ts';
import { createReplies, type Replies } from './replies.ts';
import { endStray, isTaken, type Routing, route } from './routing.ts';
import { giveBackSteers } from './steering.ts';
import { createStoppable, stopTurn } from './stop.ts';
import { announce } from './unasked.ts';
import { askUnread } from './unread.ts';

/** How long the agent may take to begin on steering that came too late for its turn. */
const FOLLOW_UP_MS = 1_000;

/** The same, where it has said that this waits in its queue: it means to. */
const QUEUED_MS = 8_000;

/** A turn that nobody announced is over when nothing more of it has come for so long. */
const STRAY_MS = 10_000;

/** Starts a process. */
export type Connect = (listener: ConnectionListener) => Connection;

/** An agent with one process for many turns, and what it has to do. */
export interface Resident {
  readonly profile: Profile;
  readonly host: ResidentHost<Settings, unknown>;
  readonly connect: Connect;
  readonly routing: Routing;
  readonly replies: Replies;
  /** Turns that nobody asked for, on their way to whoever wants to hear of them. */
  readonly unasked: Feed<Run>;
  readonly listeners: ((event: Event) => void)[];
  readonly endListeners: (() => void)[];
  /** Takes over what a process was given and has not read. */
  onUnread: ((turn: Turn) => void) | undefined;
  /** Turns that the agent has not been told of yet. */
  readonly waiting: Job[];
  connection: Connection | undefined;
  /** The process has answered a turn, so that it is one that can. */
  proven: boolean;
  followUp: NodeJS.Timeout | undefined;
  /** Runs while there is a turn that nobody announced. */
  strayTimer: NodeJS.Timeout | undefined;
  readonly clock: Clock;
  /** The time of the turn that was asked. */
  deadline: Deadline | undefined;
  /** Those who wait until all steering has been taken in or begun. */
  readonly steeringWaiters: (() => void)[];
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
      steers: [],
      failed: false,
      interruptsOutstanding: 0,
      startUnasked: (isWanted) => startUnasked(resident, isWanted),
      onUnwanted: (job) => stopTurn(resident, job, 'cancel'),
      onControl: (reply) => resident.replies.deliver(reply),
      onIdle(event) {
        for (const listener of resident.listeners) listener(event);
      },
      onEnded: () => afterTurn(resident),
    },
    replies: createReplies(),
    unasked: createFeed(),
    listeners: [],
    endListeners: [],
    onUnread: undefined,
    waiting: [],
    connection: undefined,
    proven: false,
    followUp: undefined,
    strayTimer: undefined,
    clock: createClock(),
    deadline: undefined,
    steeringWaiters: [],
    idleWaiters: [],
    closed: false,
  };
  return resident;
}

/** Admits a turn; it begins when those before it have ended. */
export function admit(resident: Resident, turn: Turn): Job {
  const job = createStoppable(resident, turn);
  resident.waiting.push(job);
  if (resident.routing.steers.length === 0) startNext(resident);
  return job;
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

function startNext(resident: Resident): void {
  const { routing, waiting, closed } = resident;
  if (isTaken(routing) || closed || waiting.length === 0) return;
  endStray(routing);
  const job = waiting.shift();
  if (job?.turn === undefined) return;
  routing.asked = job;
  send(resident, job.turn);
  watchTime(resident, job);
}

/** The process, begun now if there is none: without a turn it may still have something to do. */
export function connected(resident: Resident): Connection {
  resident.connection ??= resident.connect({
    onSaid: (said) => receive(resident, said),
    onHeard: () => resident.deadline?.heard(),
    onEnded: (said) => lose(resident, said),
  });
  return resident.connection;
}

function send(resident: Resident, turn: Turn): void {
  const connection = connected(resident);
  resident.host.noteSent(connection.state);
  connection.send(resident.host.encode(turn));
}

function receive(resident: Resident, said: readonly Said[]): void {
  for (const one of said) route(resident.routing, one);
  settle(resident);
  tellIdle(resident);
}

/** The process has ended. */
function lose(resident: Resident, lastWords: readonly Said[]): void {
  resident.connection = undefined;
  clearTimeout(resident.followUp);
  resident.replies.abandon();
  // Before those who wait are let in: what was said first is asked first.
  giveBackSteers(resident);
  askUnread(resident);
  resident.proven = false;
  for (const one of lastWords) route(resident.routing, one);
  settle(resident);
  startNext(resident);
  tellIdle(resident);
  for (const listener of resident.endListeners) listener();
}

function settle(resident: Resident): void {
  const { routing } = resident;
  watchStray(resident);
  // What no turn holds back must not hold back the process.
  if (!hasBacklog(routing.asked) && !hasBacklog(routing.unasked)) resident.connection?.drained();
}

function watchStray(resident: Resident): void {
  const { routing } = resident;
  clearTimeout(resident.strayTimer);
  if (routing.unasked?.stray !== true) return;
  resident.strayTimer = setTimeout(() => endStray(routing), STRAY_MS);
  resident.strayTimer.unref();
}

function watchTime(resident: Resident, job: Job): void {
  const deadline = startDeadline(resident.clock, resident.profile.settings, {
    isHeld: () => resident.connection?.isHeld() === true,
    onExpired(expiry) {
      // What ended it first counts.
      if (job.stopped) return;
      job.expiry = expiry;
      stopTurn(resident, job, 'timeout');
    },
  });
  resident.deadline = deadline;
  job.queue.result.promise.then(() => deadline.clear());
}

/** Steering that the turn has not taken in gets a turn of its own, which must not be taken for the next one of ours. */
function afterTurn(resident: Resident): void {
  const { routing } = resident;
  clearTimeout(resident.followUp);
  resident.proven = resident.connection !== undefined;
  if (resident.closed) return;
  if (routing.steers.length === 0) return startNext(resident);
  const until = performance.now() + QUEUED_MS;
  resident.followUp = setTimeout(() => void settleSteers(resident, until), FOLLOW_UP_MS);
}

/**
 * The agent reads in order: one that answers now has read what it was given before, and does not mean to say anything to it.
 * After a turn that failed it has forgotten that, and is asked anew, as one that has died instead.
 */
async function settleSteers(resident: Resident, until: number): Promise<void> {
  const { routing, connection } = resident;
  await ask(resident, 'heartbeat');
  if (resident.connection !== connection || isTaken(routing)) return;
  if (!routing.failed && performance.now() < until && routing.steers.some(({ queued }) => queued)) {
    resident.followUp = setTimeout(() => void settleSteers(resident, until), FOLLOW_UP_MS);
    return;
  }
  if (routing.failed) giveBackSteers(resident);
  routing.steers.length = 0;
  startNext(resident);
  tellIdle(resident);
}

function startUnasked(resident: Resident, isWanted: boolean): Job {
  clearTimeout(resident.followUp);
  const job = createJob(ownerOf(resident, () => {}));
  if (isWanted) announce(resident.unasked, job);
  else job.queue.resultWanted = true;
  return job;
}
