import type { Event, HostEffect, Turn } from '@plugboard/protocol';
import type { Ask } from '../agent.ts';
import { type Asks, createAsks } from '../run/asks.ts';
import { createFeed, type Feed } from '../run/feed.ts';
import { createQueue, type EventQueue, pushEvents, type QueueOwner, type Run, runOf } from '../run/queue.ts';
import type { Conversation } from './conversation.ts';

/** One turn on its way through a resident agent. */
export interface Job {
  /** Absent for a turn that the agent began by itself. */
  readonly turn?: Turn;
  readonly queue: EventQueue;
  /** Who answers questions of the turn. */
  readonly ask: Ask | undefined;
  /** Its caller has given it up. */
  stopped: boolean;
  /** The agent began it without announcing it: its `end` may never come. */
  stray: boolean;
}

/** The turns of one resident agent: asked for by `run`, steered, and begun by the agent itself. */
export interface Runs {
  readonly conversation: Conversation;
  /** Turns that were asked for and not sent, in order. */
  readonly waiting: Job[];
  /**
   * The turns that were sent or begun, by turn id. A turn that was taken into another turn is listed under the id of
   * that turn.
   */
  readonly active: Map<string, Job[]>;
  /** Steering that no turn has taken, by id. */
  readonly steers: Map<string, Turn>;
  /** Turns that the agent began by itself, for the listener of `unasked`. */
  readonly unasked: Feed<Run>;
  readonly idleListeners: ((event: Event) => void)[];
  /** Takes over steering that the agent has returned. */
  onUnread: ((turn: Turn) => void) | undefined;
  readonly idleWaiters: (() => void)[];
  readonly asks: Asks;
  /** Answers questions of turns in `unasked`. */
  readonly ask: Ask | undefined;
  /** Sees every batch of events. An `Event` that it returns is pushed before the batch. */
  readonly onEvents: (turn: Turn | undefined, events: readonly Event[]) => Event | undefined;
  closed: boolean;
}

export function createRuns(
  conversation: Conversation,
  ask: Ask | undefined,
  onEvents: Runs['onEvents'],
): Runs {
  return {
    conversation,
    waiting: [],
    active: new Map(),
    steers: new Map(),
    unasked: createFeed(),
    idleListeners: [],
    onUnread: undefined,
    idleWaiters: [],
    asks: createAsks(() => conversation.process),
    ask,
    onEvents,
    closed: false,
  };
}

/** Adds a turn. It begins when the earlier turns have ended. */
export function addTurn(runs: Runs, turn: Turn, ask?: Ask): Job {
  const job = createJob(runs, turn, ask);
  runs.waiting.push(job);
  startNext(runs);
  return job;
}

/** Gives the running turn more input. False when `isBusy` is false. */
export function steer(runs: Runs, turn: Turn): boolean {
  if (!isBusy(runs)) return false;
  runs.steers.set(turn.id, turn);
  runs.conversation.send(turn);
  return true;
}

/**
 * Whether a turn is running that new turns must wait for. A `stray` turn does not count, since the next turn ends it.
 */
export function isBusy({ active }: Runs): boolean {
  for (const jobs of active.values()) for (const job of jobs) if (!job.stray) return true;
  return false;
}

/**
 * Stops a turn for its caller. A turn that was not sent ends at once. After `timeout` its steering is still answered.
 */
export function stopJob(runs: Runs, job: Job, cause: 'cancel' | 'timeout' = 'cancel'): void {
  const at = runs.waiting.indexOf(job);
  if (at !== -1) {
    runs.waiting.splice(at, 1);
    pushEvents(job.queue, [{ type: 'end', outcome: 'cancelled', text: '' }]);
    return;
  }
  const turnId = [...runs.active].find(([, jobs]) => jobs.includes(job))?.[0];
  if (turnId === undefined) return;
  job.stopped = true;
  runs.conversation.interrupt(turnId, cause, true);
}

/** Stops the running turn. Returns false when `isBusy` is false. */
export function stopCurrent(runs: Runs): boolean {
  const own = [...runs.active.values()].flat().find(({ turn }) => turn === undefined);
  if (own !== undefined) stopJob(runs, own);
  else if (isBusy(runs)) runs.conversation.interrupt(undefined, 'cancel', false);
  else return false;
  return true;
}

/** Applies the effects of the machine to `active`, `waiting` and `steers`. */
export function takeEffects(runs: Runs, effects: readonly HostEffect[]): void {
  const again: Job[] = [];
  for (const effect of effects) {
    if (effect.type === 'events') takeEvents(runs, effect.turnId, effect.events);
    else if (effect.type === 'input' && effect.state === 'taken')
      takeInput(runs, effect.inputId, effect.turnId ?? effect.inputId);
    else if (effect.type === 'input' && effect.state === 'returned')
      again.push(...returnInput(runs, effect.inputId));
    else if (effect.type === 'ask') openAsk(runs, effect);
    else if (effect.type === 'withdraw') runs.asks.withdraw(effect.askId);
  }
  // Before `waiting`, which keeps the order in which the inputs were sent.
  runs.waiting.unshift(...again);
  // Unread events must hold back the process, so `drained` is called only when no queue has any.
  if (!hasBacklog(runs)) runs.conversation.drained();
  startNext(runs);
  tellIdle(runs);
}

/** Passes on events of no turn. */
export function tellIdleListeners({ idleListeners }: Runs, events: readonly Event[]): void {
  for (const event of events) for (const listener of idleListeners) listener(event);
}

/** Settles when no turn runs or waits, and `steers` is empty. */
export function whenIdle(runs: Runs): Promise<void> {
  return new Promise((resolve) => {
    runs.idleWaiters.push(resolve);
    tellIdle(runs);
  });
}

/** Passes the question to the `ask` of its turn. */
function openAsk(runs: Runs, { askId, turnId, question }: HostEffect & { type: 'ask' }): void {
  const job = runs.active.get(turnId)?.[0];
  const push = (events: Event[]): void => takeEvents(runs, turnId, events);
  runs.asks.open(askId, question, { ask: job?.ask ?? runs.ask, push });
}

function createJob(runs: Runs, turn?: Turn, ask?: Ask): Job {
  const owner: QueueOwner = {
    onDrained: () => runs.conversation.drained(),
    // A turn that the agent began by itself goes on without a reader.
    onAbandoned: () => turn !== undefined && stopJob(runs, job),
  };
  const job: Job = {
    ...(turn === undefined ? {} : { turn }),
    queue: createQueue(owner),
    ask,
    stopped: false,
    stray: false,
  };
  return job;
}

/**
 * Sends the next turn, but not while `steers` has entries: the turn of a late steering would be taken for this turn.
 */
function startNext(runs: Runs): void {
  const { active, waiting, closed, steers, conversation } = runs;
  if (closed || waiting.length === 0 || steers.size > 0 || isBusy(runs)) return;
  const job = waiting.shift();
  if (job?.turn === undefined) return;
  active.set(job.turn.id, [job]);
  conversation.send(job.turn);
}

function takeEvents(runs: Runs, turnId: string | undefined, events: Event[]): void {
  if (turnId === undefined) return tellIdleListeners(runs, events);
  const jobs = runs.active.get(turnId) ?? [beginUnasked(runs, turnId, events[0])];
  const isOver = events.at(-1)?.type === 'end';
  if (isOver) runs.active.delete(turnId);
  for (const [at, job] of jobs.entries()) {
    const remark = runs.onEvents(job.turn, events);
    if (remark !== undefined) pushEvents(job.queue, [remark]);
    pushEvents(job.queue, at === 0 ? events : [...events]);
  }
}

/** A turn that the agent began by itself, or that answers late steering. */
function beginUnasked(runs: Runs, turnId: string, first: Event | undefined): Job {
  const job = createJob(runs);
  if (first?.type === 'accepted') {
    const { inputs, at, origin } = first;
    job.stray = inputs === undefined && at === undefined && origin === undefined;
  }
  runs.active.set(turnId, [job]);
  announce(runs, job);
  return job;
}

/** Hands the turn to the listener of `unasked`; without a listener its events are dropped. */
function announce({ unasked }: Runs, job: Job): void {
  if (unasked.wanted()) unasked.add(runOf(job.queue));
  else job.queue.resultWanted = true;
}

/** A turn of `run` may be taken into a turn that the agent began by itself: both then get the same events. */
function takeInput(runs: Runs, inputId: string, turnId: string): void {
  runs.steers.delete(inputId);
  const asked = runs.active.get(inputId);
  if (asked === undefined || turnId === inputId) return;
  runs.active.delete(inputId);
  runs.active.set(turnId, [...(runs.active.get(turnId) ?? []), ...asked]);
}

/**
 * The agent will not answer it. Steering goes to `onUnread`, or becomes a turn; gives the turn that is to be asked
 * again.
 */
function returnInput(runs: Runs, inputId: string): Job[] {
  const steered = runs.steers.get(inputId);
  if (steered === undefined) {
    const asked = runs.active.get(inputId) ?? [];
    runs.active.delete(inputId);
    return asked.filter((job) => !endStopped(runs, job));
  }
  runs.steers.delete(inputId);
  if (runs.onUnread !== undefined) {
    runs.onUnread(steered);
    return [];
  }
  const job = createJob(runs, steered);
  announce(runs, job);
  return [job];
}

function endStopped({ closed }: Runs, { stopped, queue }: Job): boolean {
  if (stopped || closed) pushEvents(queue, [{ type: 'end', outcome: 'cancelled', text: '' }]);
  return stopped || closed;
}

function hasBacklog({ active }: Runs): boolean {
  for (const jobs of active.values())
    for (const { queue } of jobs) if (queue.waiting.length > queue.head) return true;
  return false;
}

function tellIdle(runs: Runs): void {
  if (runs.steers.size > 0 || isBusy(runs) || runs.waiting.length > 0) return;
  for (const resolve of runs.idleWaiters.splice(0)) resolve();
}
