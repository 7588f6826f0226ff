import {
  type ControlReply,
  dialects,
  type Event,
  type LaunchContext,
  type ResidentHost,
  type Settings,
  type Turn,
} from '@plugboard/protocol';
import type { OpenAgent } from '../agent.ts';
import type { OpenOptions } from '../open.ts';
import type { Profile } from '../profile/profile.ts';
import { startDeadline } from '../run/deadline.ts';
import { onAbort, refuse } from '../run/one-shot.ts';
import { type Run, runOf } from '../run/queue.ts';
import { type Connection, connect, type Said } from './connection.ts';
import { createJob, hasBacklog, type Job, tell } from './job.ts';
import { createReplies } from './replies.ts';
import { type Routing, route } from './routing.ts';
import { createUnaskedTurns } from './unasked.ts';

/** How long the agent may take to begin on steering that came too late for its turn. */
const FOLLOW_UP_MS = 1_000;

/** How long it may take to finish what it is at, once its input is closed. */
const CLOSE_MS = 1_000;

/** An agent with one process for many turns. It starts with the first turn, and again after it has died. */
export function openResident(
  profile: Profile,
  host: ResidentHost<Settings, unknown>,
  context: LaunchContext,
  options: OpenOptions,
): OpenAgent {
  const graceMs = profile.settings.killGraceSecs * 1000;
  const waiting: Job[] = [];
  const listeners: ((event: Event) => void)[] = [];
  const unasked = createUnaskedTurns();
  const replies = createReplies();
  let connection: Connection | undefined;
  let followUp: NodeJS.Timeout | undefined;
  let closed = false;

  const owner = (onAbandoned: () => void) => ({ onDrained: () => connection?.drained(), onAbandoned });
  const routing: Routing = {
    asked: undefined,
    unasked: undefined,
    steersOutstanding: 0,
    interruptsOutstanding: 0,
    startUnasked() {
      clearTimeout(followUp);
      const job = createJob(owner(() => {}));
      if (unasked.wanted) unasked.add(runOf(job.queue));
      else job.queue.resultWanted = true;
      return job;
    },
    onControl: (reply) => replies.deliver(reply),
    onIdle: (event) => {
      for (const listener of listeners) listener(event);
    },
    onEnded() {
      if (routing.steersOutstanding === 0) return startNext();
      followUp = setTimeout(() => {
        routing.steersOutstanding = 0;
        startNext();
      }, FOLLOW_UP_MS);
    },
  };
  const onSaid = (said: readonly Said[], exited: boolean): void => {
    if (exited) {
      connection = undefined;
      replies.abandon();
    }
    for (const one of said) route(routing, one);
    if (!hasBacklog(routing.asked) && !hasBacklog(routing.unasked)) connection?.drained();
    if (exited) startNext();
  };
  const connected = (): Connection => {
    connection ??= connect(profile, host, context, options, onSaid);
    return connection;
  };
  const send = (turn: Turn): void => {
    const live = connected();
    host.noteSent(live.state);
    live.send(host.encode(turn));
  };
  const startNext = (): void => {
    if (routing.asked !== undefined || routing.unasked !== undefined || closed) return;
    const job = waiting.shift();
    if (job?.turn === undefined) return;
    routing.asked = job;
    send(job.turn);
    watchTime(job);
  };
  const watchTime = (job: Job): void => {
    const limits = { timeoutSecs: profile.settings.timeoutSecs, idleTimeoutSecs: 0 };
    const deadline = startDeadline(limits, (expiry) => {
      job.expiry = expiry;
      stopTurn(job, 'timeout');
    });
    job.queue.result.promise.then(() => deadline.clear());
  };
  /** Asks the agent to stop; one that does not within the grace loses its process. */
  const stopTurn = (job: Job, cause: 'cancel' | 'timeout'): void => {
    const live = connection;
    if (routing.asked !== job || live === undefined) return withdraw(job);
    sendInterrupt(live);
    const timer = setTimeout(() => live.child.stop(cause), graceMs);
    job.queue.result.promise.then(() => clearTimeout(timer));
  };
  const sendInterrupt = (live: Connection): void => {
    routing.interruptsOutstanding++;
    live.send(host.control('interrupt'));
  };
  const withdraw = (job: Job): void => {
    const at = waiting.indexOf(job);
    if (at === -1) return;
    waiting.splice(at, 1);
    tell(job, { type: 'end', outcome: 'cancelled', text: '' });
  };
  const ask = async (action: 'status' | 'heartbeat'): Promise<ControlReply | undefined> => {
    if (connection === undefined) return undefined;
    const reply = replies.expect(action);
    connection.send(host.control(action));
    return reply;
  };

  return {
    name: profile.name,
    dialect: profile.dialect,
    capabilities: dialects[profile.dialect].capabilities,
    run(turn: Turn, signal?: AbortSignal): Run {
      if (closed) return refuse({ code: 'closed', message: `The agent ${profile.name} has been closed.` });
      const job: Job = createJob(
        owner(() => stopTurn(job, 'cancel')),
        turn,
      );
      waiting.push(job);
      if (routing.steersOutstanding === 0) startNext();
      onAbort(signal, () => stopTurn(job, 'cancel'), job.queue);
      return runOf(job.queue);
    },
    async close(how = {}) {
      closed = true;
      clearTimeout(followUp);
      for (const job of [...waiting]) withdraw(job);
      if (routing.asked !== undefined) stopTurn(routing.asked, 'cancel');
      const live = connection;
      live?.child.stop('cancel', { inputGraceMs: how.graceMs ?? CLOSE_MS, ...how });
      await live?.child.ended;
      unasked.close();
    },
    resident: {
      steer(turn) {
        if (connection === undefined || (routing.asked ?? routing.unasked) === undefined) return false;
        routing.steersOutstanding++;
        connection.send(host.encode(turn));
        return true;
      },
      interrupt() {
        if (connection === undefined || (routing.asked ?? routing.unasked) === undefined) return false;
        sendInterrupt(connection);
        return true;
      },
      async status() {
        const reply = await ask('status');
        return reply?.type === 'status' ? reply : undefined;
      },
      async heartbeat() {
        const started = performance.now();
        const reply = await ask('heartbeat');
        return reply === undefined ? undefined : performance.now() - started;
      },
      unasked: () => unasked.iterate(),
      onIdleEvent: (listener) => {
        listeners.push(listener);
      },
    },
  };
}
