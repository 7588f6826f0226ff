import type { Child, Ending } from '@plugboard/process';
import type { Event, Exit, Failure, Launch, OneShotHost, Settings, Turn } from '@plugboard/protocol';
import { guardMedia } from '../media/guard.ts';
import type { Profile } from '../profile/profile.ts';
import type { Tap } from '../record/tap.ts';
import { onAbort } from './abort.ts';
import type { Clock } from './clock.ts';
import { type Expiry, startDeadline } from './deadline.ts';
import type { Given, Handover } from './handover.ts';
import { createQueue, pushEvents, type Run, runOf } from './queue.ts';
import { createReader } from './reader.ts';
import { createStderrLog } from './stderr.ts';
import { refuse } from './unbegun.ts';

/** Answers that an agent may leave unread; one that asks on and on without reading any is stopped. */
const UNREAD_BYTES = 1024 * 1024;

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
  readonly mediaRoots: readonly string[];
  readonly clock: Clock;
  /** Starts the process for a launch, or takes one that waits; or says why there can be none. */
  start(launch: Launch): Begun | Failure;
  tap(turn: Turn): Tap | undefined;
  /** Called with every batch of events, whether or not anybody reads them. An event that it returns goes before them. */
  onEvents(turn: Turn, events: readonly Event[]): Event | undefined;
}

/** Runs a launch to its end as one turn. */
export function runOneShot(turn: Turn, launch: Launch, resources: TurnResources, signal?: AbortSignal): Run {
  const began = performance.now();
  const { profile, host } = resources;
  const tap = resources.tap(turn);
  const begun = resources.start(launch);
  if ('message' in begun) return refuse(begun);
  const { child } = begun;
  const cancel = (): void => child.stop('cancel');
  const queue = createQueue({
    onDrained: () => {
      reader?.drained();
      stderr.drained();
    },
    onAbandoned: cancel,
  });
  const push = (events: Event[]): void => {
    const remark = resources.onEvents(turn, events);
    if (remark !== undefined) pushEvents(queue, [remark]);
    pushEvents(queue, guardMedia(events, resources.mediaRoots));
  };
  const state = host.initial(turn, profile.settings);
  let expiry: Expiry | undefined;
  let given: Given | undefined;
  const deadline = startDeadline(resources.clock, timeLimits(profile, launch), (expired) => {
    expiry ??= expired;
    child.stop('timeout', timeoutGrace(profile));
  });
  const stderr = createStderrLog(push);
  child.onStderr((chunk) => {
    tap?.write('stderr', chunk);
    stderr.onChunk(chunk);
  });
  const answer = (line: string): void => {
    const reply = host.reply?.(line);
    if (reply !== undefined) {
      tap?.write('stdin', Buffer.from(reply));
      child.write(reply);
    }
    if (child.pendingInput() > UNREAD_BYTES) child.stop('limit');
    if (host.isOver?.(state) === true) child.closeInput();
  };
  const reader =
    child.stdout === null
      ? undefined
      : createReader(child.stdout, profile.lineBytes ?? host.lineBytes, {
          step(line, out) {
            host.step(state, line, out);
            if (launch.keepInputOpen) answer(line);
          },
          ...(host.stepHead && { stepHead: (head, out) => host.stepHead?.(state, head, out) === true }),
          push,
          onChunk: (chunk) => {
            deadline.heard();
            given?.heard();
            tap?.write('stdout', chunk);
          },
        });
  onAbort(signal, cancel, queue);
  child.ended.then((ending) => {
    deadline.clear();
    given?.clear();
    stderr.finish();
    reader?.finish();
    tap?.end(ending);
    const out: Event[] = [];
    host.end(state, exitOf(ending, expiry, performance.now() - began), out);
    push(out);
  });
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
  const { keepInputOpen } = launch;
  const stdin = launch.stdin?.() ?? '';
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
