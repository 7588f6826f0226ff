import type { Child, Ending } from '@plugboard/process';
import type { Event, Exit, Failure, Launch, OneShotHost, Settings, Turn } from '@plugboard/protocol';
import type { AskPermission } from '../agent.ts';
import { type MediaAccess, type MediaPolicy, mediaAccessOf } from '../media/access.ts';
import { currentFileTime } from '../media/file-clock.ts';
import { guardMedia } from '../media/guard.ts';
import type { Profile } from '../profile/profile.ts';
import type { Tap } from '../record/tap.ts';
import { onAbort } from '../run/abort.ts';
import type { Clock } from '../run/clock.ts';
import { type Expiry, startDeadline } from '../run/deadline.ts';
import { listen } from '../run/listen.ts';
import { createQueue, pushEvents, type Run, runOf } from '../run/queue.ts';
import { refuse } from '../run/unbegun.ts';
import type { Given, Handover } from './handover.ts';
import { createPermissions } from './permissions.ts';

/** A process for a turn. */
export interface Begun {
  readonly child: Child;
  /** How it is given its turn, if it has waited for one. */
  readonly handover?: Handover;
}

/** What one turn of a one-shot agent needs of the open agent. */
export interface TurnResources {
  readonly profile: Profile;
  readonly host: OneShotHost<Settings, unknown>;
  readonly media: MediaPolicy;
  readonly clock: Clock;
  /** Starts the process for a launch, or takes one that waits; or says why there can be none. */
  start(launch: Launch): Begun | Failure;
  tap(turn: Turn): Tap | undefined;
  /** Called with every batch of events, whether or not anybody reads them. An event that it returns goes before them. */
  onEvents(turn: Turn, events: readonly Event[]): Event | undefined;
}

/** What whoever asked for a turn has to do with it. */
interface Asked {
  readonly signal: AbortSignal | undefined;
  readonly ask: AskPermission | undefined;
}

/** Runs a launch to its end as one turn. */
export function runOneShot(
  turn: Turn,
  launch: Launch,
  resources: TurnResources,
  { signal, ask }: Asked,
): Run {
  const began = performance.now();
  const { profile, host } = resources;
  const since = currentFileTime();
  const access = (): MediaAccess => mediaAccessOf(profile, resources.media, { turn, launch, since });
  const begun = resources.start(launch);
  if ('message' in begun) return refuse(begun);
  const { child } = begun;
  const tap = resources.tap(turn);
  const state = host.initial(turn, profile.settings);
  const cancel = (): void => child.stop('cancel');
  const onDrained = (): void => {
    // The silence was ours.
    if (hearing.isHeld()) deadline.heard();
    hearing.drained();
  };
  const queue = createQueue({ onDrained, onAbandoned: cancel });
  const push = (events: Event[]): void => {
    const remark = resources.onEvents(turn, events);
    if (remark !== undefined) pushEvents(queue, [remark]);
    pushEvents(queue, resources.media.unchecked ? events : guardMedia(events, access));
  };
  const onAskFailed = (reason: string): void => {
    const text = `The question of the agent was answered with no, since deciding it failed: ${reason}`;
    push([{ type: 'log', level: 'error', text, source: 'host' }]);
  };
  const permissions = createPermissions({ child, host, state, tap, ask, onAskFailed });
  let expiry: Expiry | undefined;
  let given: Given | undefined;
  const hearing = listen(child, {
    tap,
    lineBytes: profile.lineBytes ?? host.lineBytes,
    ...(host.keepsMark === true ? { keepsMark: true } : {}),
    step(line, out) {
      host.step(state, line, out);
      if (launch.keepInputOpen) permissions.heed(line);
    },
    ...(host.stepHead && { stepHead: (head, out) => host.stepHead?.(state, head, out) === true }),
    push,
    onHeard() {
      deadline.heard();
      given?.heard();
    },
    onEnded(ending) {
      deadline.clear();
      given?.clear();
      const out: Event[] = [];
      host.end(state, exitOf(ending, expiry, performance.now() - began), out);
      push(out);
    },
  });
  const deadline = startDeadline(resources.clock, timeLimits(profile, launch), {
    isHeld: () => hearing.isHeld() || permissions.pending(),
    onExpired(expired) {
      expiry ??= expired;
      child.stop('timeout', timeoutGrace(profile));
    },
  });
  onAbort(signal, cancel, queue);
  // Last of all, when the caller has begun to read: a waiting agent answers sooner than we would get there.
  queueMicrotask(() => {
    given = hand(begun, launch, tap);
  });
  return runOf(queue);
}

/** How a process ended, with the reason why the host ended it. The time that it has waited for its turn does not count. */
function exitOf(ending: Ending, expiry: Expiry | undefined, tookMs: number): Exit {
  const exit = { ...ending, durationMs: Math.min(ending.durationMs, tookMs) };
  return ending.cause === 'timeout' && expiry !== undefined ? { ...exit, failure: expiry } : exit;
}

/** Gives a process its turn, and the end of its input. */
function hand({ child, handover }: Begun, launch: Launch, tap: Tap | undefined): Given | undefined {
  const { stdin = '', keepInputOpen } = launch;
  if (stdin !== '') tap?.write('stdin', Buffer.from(stdin));
  if (keepInputOpen === true) child.write(stdin);
  else if (stdin === '') child.closeInput();
  else if (handover !== undefined) return handover.give(child, stdin);
  // In one go: two writes would take twice as long.
  else child.closeInput(stdin);
  return undefined;
}

/** A person at the terminal takes as long as it takes. */
function timeLimits(profile: Profile, launch: Launch): { timeoutSecs: number; idleTimeoutSecs: number } {
  if (launch.requestFile !== undefined) return { timeoutSecs: 0, idleTimeoutSecs: 0 };
  return profile.settings;
}

function timeoutGrace({ settings }: Profile): { graceMs?: number } {
  return settings.timeoutGraceSecs === undefined ? {} : { graceMs: settings.timeoutGraceSecs * 1000 };
}
