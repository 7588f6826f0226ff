import type { Child, Ending } from '@plugboard/process';
import type {
  Event,
  Exit,
  Failure,
  HostEffect,
  HostSide,
  Launch,
  LaunchContext,
  Settings,
  Turn,
} from '@plugboard/protocol';
import type { Ask } from '../agent.ts';
import { type MediaAccess, type MediaPolicy, mediaAccessOf } from '../media/access.ts';
import { currentFileTime } from '../media/file-clock.ts';
import { guardMedia } from '../media/guard.ts';
import { type AgentProcess, runProcess } from '../process/agent-process.ts';
import type { Handover } from '../process/handover.ts';
import type { Profile } from '../profile/profile.ts';
import type { Tap } from '../record/tap.ts';
import { onAbort } from '../run/abort.ts';
import { type Asks, createAsks } from '../run/asks.ts';
import type { Clock } from '../run/clock.ts';
import { type Expiry, startDeadline } from '../run/deadline.ts';
import { createQueue, pushEvents, type Run, runOf } from '../run/queue.ts';
import { refuse } from '../run/unbegun.ts';

/** A process for a turn. */
export interface Begun {
  readonly child: Child;
  /** The way to give the turn to a prewarmed process; absent for a new process. */
  readonly handover?: Handover;
}

/** The parts of an open agent that one turn needs. */
export interface TurnResources {
  readonly profile: Profile;
  readonly host: HostSide<Settings, unknown>;
  readonly context: LaunchContext;
  readonly media: MediaPolicy;
  readonly clock: Clock;
  /** Starts the process for a launch, or takes a waiting process; a `Failure` when there can be none. */
  start(launch: Launch): Begun | Failure;
  tap(turn: Turn): Tap | undefined;
  /** Called with every batch of events, read or not. An event that it returns is pushed before the batch. */
  onEvents(turn: Turn, events: readonly Event[]): Event | undefined;
}

/** The caller's part in a turn. */
interface Caller {
  readonly signal: AbortSignal | undefined;
  readonly ask: Ask | undefined;
}

/** Runs a launch to its end as one turn. */
export function runOneShot(
  turn: Turn,
  launch: Launch,
  resources: TurnResources,
  { signal, ask }: Caller,
): Run {
  const began = performance.now();
  const { profile, host, context } = resources;
  const since = currentFileTime();
  const access = (): MediaAccess => mediaAccessOf(profile, resources.media, { turn, launch, since });
  const begun = resources.start(launch);
  if ('message' in begun) return refuse(begun);
  const { child } = begun;
  const cancel = (): void => child.stop('cancel');
  const onDrained = (): void => {
    // The silence was caused by back-pressure, so `heard` restarts the idle time.
    if (process.isHeld()) deadline.heard();
    process.drained();
  };
  const queue = createQueue({ onDrained, onAbandoned: cancel });
  const push = (events: Event[]): void => {
    const remark = resources.onEvents(turn, events);
    if (remark !== undefined) pushEvents(queue, [remark]);
    pushEvents(queue, resources.media.unchecked ? events : guardMedia(events, access));
  };
  let asks: Asks | undefined;
  const take = (effect: HostEffect): void => {
    if (effect.type === 'events') push(effect.events);
    else if (effect.type === 'withdraw') asks?.withdraw(effect.askId);
    else if (effect.type === 'ask') {
      asks ??= createAsks(() => process);
      asks.open(effect.askId, effect.question, { ask, push });
    }
  };
  let expiry: Expiry | undefined;
  const process: AgentProcess = runProcess({
    child,
    profile,
    host,
    context,
    tap: resources.tap(turn),
    handover: begun.handover,
    onEffects(effects) {
      for (const effect of effects) take(effect);
    },
    onHeard: () => deadline.heard(),
    exitOf(ending) {
      deadline.clear();
      return exitOf(ending, expiry, performance.now() - began);
    },
  });
  const deadline = startDeadline(resources.clock, timeLimits(profile, launch), {
    isHeld: () => process.isHeld() || asks?.pending() === true,
    onExpired(expired) {
      expiry ??= expired;
      child.stop('timeout', timeoutGrace(profile));
    },
  });
  onAbort(signal, cancel, queue);
  // In a microtask, after the caller has begun to read `run`: a prewarmed agent can answer before that loop would
  // start.
  queueMicrotask(() => process.step({ type: 'send', turn }));
  return runOf(queue);
}

/**
 * The `Exit` of a process, with the `Expiry` for which the host stopped it. `durationMs` excludes the time before the
 * turn.
 */
function exitOf(ending: Ending, expiry: Expiry | undefined, tookMs: number): Exit {
  const exit = { ...ending, durationMs: Math.min(ending.durationMs, tookMs) };
  return ending.cause === 'timeout' && expiry !== undefined ? { ...exit, failure: expiry } : exit;
}

/** No time limits for a launch with a `requestFile`: a person works at the terminal. */
function timeLimits(profile: Profile, launch: Launch): { timeoutSecs: number; idleTimeoutSecs: number } {
  if (launch.requestFile !== undefined) return { timeoutSecs: 0, idleTimeoutSecs: 0 };
  return profile.settings;
}

function timeoutGrace({ settings }: Profile): { graceMs?: number } {
  return settings.timeoutGraceSecs === undefined ? {} : { graceMs: settings.timeoutGraceSecs * 1000 };
}
