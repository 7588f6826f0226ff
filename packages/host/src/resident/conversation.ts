import { randomUUID } from 'node:crypto';
import {
  type End,
  type Event,
  type EventsEffect,
  eventsOf,
  type HostEffect,
  type HostSide,
  type LaunchContext,
  type Log,
  type Probe,
  type Refusal,
  type SessionRef,
  type Settings,
  type Turn,
} from '@plugboard/protocol';
import type { CloseOptions } from '../agent.ts';
import type { OpenOptions } from '../open-options.ts';
import { type AgentProcess, runProcess } from '../process/agent-process.ts';
import { takeLimitWarning } from '../process/limit-warning.ts';
import { createStarter } from '../process/starter.ts';
import type { Profile } from '../profile/profile.ts';
import { createClock } from '../run/clock.ts';
import { type Deadline, type Expiry, startDeadline } from '../run/deadline.ts';
import {
  createProcessSession,
  fitsSession,
  hasSessionPerProcess,
  noteAgentIds,
  type ProcessSession,
  withoutLostSession,
} from './process-session.ts';
import { createWork } from './work.ts';

/** Default of `HostSide.interruptMs`. After it `child.stop` begins, with the grace of the profile. */
const INTERRUPT_MS = 2_000;

/** Time for the agent to finish its turn after its input was closed. */
const CLOSE_MS = 1_000;

/** Hears the conversation with one agent. */
export interface ConversationListener {
  /** Effects other than writes and timers, in order. */
  onEffects(effects: readonly HostEffect[]): void;
  /** The process has ended; the effects of its end came before. The next `send` starts another. */
  onProcessEnd(): void;
  /** Whether an `ask` is open: its time is not counted as silence. */
  isAsking(): boolean;
}

/** An agent with one process for many turns. The process starts with the first turn, and again after it has ended. */
export interface Conversation {
  /** Starts the process if there is none. `session` is that of the turn to come. */
  start(session?: SessionRef): void;
  /**
   * Starts a turn, or steers the running turn. Where a process has one session, a turn of another session waits until
   * nothing runs, and gets a process of its own.
   */
  send(turn: Turn): void;
  /** Stops a turn; with `orKill` the process ends if the turn does not. */
  interrupt(turnId: string | undefined, cause: 'cancel' | 'timeout', orKill: boolean): void;
  /** False when there is no process to be asked. */
  probe(probe: Probe): boolean;
  /** The process that runs now, which takes answers to questions. */
  readonly process: AgentProcess | undefined;
  drained(): void;
  close(options: CloseOptions): Promise<void>;
}

/** The turn whose time is measured. */
interface Timed {
  turnId: string;
  readonly deadline: Deadline;
  expiry: Expiry | undefined;
}

/** Opens the conversation; no process is started yet. `profile` is asked at each start. */
export function createConversation(
  profile: () => Profile,
  host: HostSide<Settings, unknown>,
  context: LaunchContext,
  options: OpenOptions,
  listener: ConversationListener,
): Conversation {
  const clock = createClock();
  const kills = new Map<string, NodeJS.Timeout>();
  let process: AgentProcess | undefined;
  let timed: Timed | undefined;
  let closed = false;

  const isHeld = (): boolean => process?.isHeld() === true;
  const isPerSession = hasSessionPerProcess(profile());
  const work = createWork();
  /** Turns that wait for a process of their session, in order. */
  const later: Turn[] = [];
  /** Inputs that are sent a second time, by id, with the session that was lost. */
  const resent = new Map<string, string>();
  const lost = new Set<string>();
  /** Turns that have begun without their session, by id, until their first event. */
  const begunAnew = new Map<string, string>();
  let owned: ProcessSession = createProcessSession(undefined);
  /** The process is being ended for the sake of another session. */
  let leaving = false;
  /** The session that a process is started for when the present one has ended. */
  let ahead: SessionRef | undefined;

  const start = (session: SessionRef | undefined): AgentProcess | Refusal => {
    if (process !== undefined) return process;
    const now = profile();
    const surroundings: LaunchContext = {
      ...context,
      nonce: randomUUID(),
      ...(session === undefined ? {} : { session }),
    };
    const launch = host.launch(now.settings, surroundings);
    if ('refused' in launch) return launch;
    owned = createProcessSession(session);
    let warned = false;
    const started = runProcess({
      child: createStarter(now, options)(launch),
      profile: now,
      host,
      context: surroundings,
      tap: options.recorder?.tap(now),
      exitOf(ending) {
        // Cleared before the effects of the exit: inputs that they return may be sent to the next process.
        process = undefined;
        for (const kill of kills.values()) clearTimeout(kill);
        kills.clear();
        return ending;
      },
      onHeard: () => timed?.deadline.heard(),
      // The machine has given the process up: it may be stuck. Later turns wait for the next process.
      onInputClosed: () => leave(),
      onEffects(effects) {
        const warning = warned ? undefined : takeLimitWarning(now);
        warned = true;
        if (warning !== undefined) hand([eventsEffect(started.currentTurn(), [warning])]);
        hand(effects);
      },
    });
    process = started;
    // After the effects of `exit`: their callback on `ended` was registered by `runProcess` before.
    void started.child.ended.then(() => {
      listener.onProcessEnd();
      leaving = false;
      sendLater();
      if (process === undefined && ahead !== undefined) start(ahead);
      ahead = undefined;
    });
    started.step({ type: 'started' });
    return started;
  };
  const hand = (effects: readonly HostEffect[]): void => {
    const passed = isPerSession ? effects.flatMap(followSession) : effects;
    for (const effect of passed) {
      work.note(effect);
      watch(effect);
    }
    if (passed.length > 0) listener.onEffects(passed);
    if (later.length > 0) sendLater();
  };
  /** Keeps an input whose session is lost, to send it to the next process. The listener hears of it once. */
  const followSession = (effect: HostEffect): HostEffect[] => {
    noteAgentIds(owned, effect);
    if (effect.type === 'events') return [withLostSessionLog(effect, begunAnew)];
    if (effect.type !== 'input') return [effect];
    const { inputId, state, lostSession } = effect;
    if (state === 'given') return resent.has(inputId) ? [] : [effect];
    const old = resent.get(inputId);
    resent.delete(inputId);
    const turn = lostSession === undefined ? undefined : work.input(inputId);
    if (lostSession !== undefined && turn !== undefined && !closed) {
      lost.add(lostSession);
      resent.set(inputId, lostSession);
      work.forget(inputId);
      later.unshift(withoutLostSession(turn, lost));
      leave();
      return [];
    }
    if (old !== undefined && effect.turnId !== undefined) begunAnew.set(effect.turnId, old);
    return [effect];
  };
  /** Ends the process, which does nothing. */
  const leave = (): void => {
    leaving = true;
    process?.child.stop('cancel', { inputGraceMs: CLOSE_MS });
  };
  const sendLater = (): void => {
    while (later.length > 0 && !leaving) {
      const [turn] = later;
      if (turn === undefined || mustWait(turn)) return;
      later.shift();
      deliver(turn);
    }
  };
  /** Whether a turn needs another process than the one that runs. A process without work is ended for it. */
  const mustWait = (turn: Turn): boolean => {
    if (process === undefined || !isPerSession) return false;
    if (fitsSession(owned, turn.session)) return false;
    if (work.isBusy() && owned.ref?.key === turn.session.key) return false;
    if (!work.isBusy()) leave();
    return true;
  };
  const deliver = (turn: Turn): void => {
    const started = start(turn.session);
    if ('refused' in started) return listener.onEffects(refusedEffects(turn, started));
    if (!owned.isUsed && owned.ref === undefined) owned = createProcessSession(turn.session);
    owned.isUsed = true;
    beginTime(turn.id);
    work.add(turn);
    started.step({ type: 'send', turn });
  };
  /** Follows the turn whose time is measured, through `taken` effects, and stops the time at its `end`. */
  const watch = (effect: HostEffect): void => {
    if (effect.type === 'input' && effect.state === 'taken' && timed?.turnId === effect.inputId)
      timed.turnId = effect.turnId ?? effect.inputId;
    if (effect.type === 'input' && effect.state === 'returned' && timed?.turnId === effect.inputId) endTime();
    if (effect.type !== 'events' || effect.turnId === undefined) return;
    const { events, turnId } = effect;
    const last = events.at(-1);
    if (last?.type !== 'end') return;
    clearTimeout(kills.get(turnId));
    kills.delete(turnId);
    if (timed?.turnId !== turnId) return;
    if (timed.expiry !== undefined) events[events.length - 1] = expiredEnd(last, timed.expiry);
    endTime();
  };
  const beginTime = (turnId: string): void => {
    if (timed !== undefined) return;
    const deadline = startDeadline(clock, profile().settings, {
      isHeld: () => isHeld() || listener.isAsking(),
      onExpired(expiry) {
        // A turn that is already being stopped (in `kills`) keeps its first reason.
        if (timed === undefined || kills.has(timed.turnId)) return;
        timed.expiry = expiry;
        interrupt(timed.turnId, 'timeout', true);
      },
    });
    timed = { turnId, deadline, expiry: undefined };
  };
  const endTime = (): void => {
    timed?.deadline.clear();
    timed = undefined;
  };
  const interrupt = (turnId: string | undefined, cause: 'cancel' | 'timeout', orKill: boolean): void => {
    const at = later.findIndex(({ id }) => id === turnId);
    const [unsent] = at === -1 ? [] : later.splice(at, 1);
    if (unsent !== undefined) return listener.onEffects(cancelledEffects(unsent, resent.delete(unsent.id)));
    const current = process;
    if (current === undefined) return;
    const stopped = turnId ?? current.currentTurn();
    if (orKill && stopped !== undefined && !kills.has(stopped)) {
      const patience = Math.min(profile().settings.killGraceSecs * 1000, host.interruptMs ?? INTERRUPT_MS);
      kills.set(
        stopped,
        setTimeout(() => current.child.stop(cause), patience),
      );
    }
    current.step({ type: 'interrupt', cause, ...(turnId === undefined ? {} : { turnId }) });
  };
  return {
    start(session) {
      if (leaving || later.length > 0) return;
      if (process === undefined) return void start(session);
      if (!isPerSession || session === undefined || work.isBusy() || fitsSession(owned, session)) return;
      ahead = session;
      leave();
    },
    send(given) {
      const turn = withoutLostSession(given, lost);
      if (leaving || later.length > 0 || mustWait(turn)) later.push(turn);
      else deliver(turn);
    },
    interrupt,
    probe(probe) {
      process?.step({ type: 'probe', probe });
      return process !== undefined;
    },
    get process() {
      return process;
    },
    drained() {
      // The silence was caused by back-pressure, so `heard` restarts the idle time.
      if (isHeld()) timed?.deadline.heard();
      process?.drained();
    },
    async close(how) {
      closed = true;
      ahead = undefined;
      for (const { id: inputId } of later.splice(0))
        listener.onEffects([{ type: 'input', inputId, state: 'returned' }]);
      const last = process?.child;
      last?.stop('cancel', { inputGraceMs: how.graceMs ?? CLOSE_MS, ...how });
      await last?.ended;
      for (const kill of kills.values()) clearTimeout(kill);
      endTime();
      clock.close();
    },
  };
}

function eventsEffect(turnId: string | undefined, events: readonly Event[]): HostEffect {
  const out: HostEffect[] = [];
  eventsOf(out, turnId).push(...events);
  return out[0] as HostEffect;
}

/** The effects of a turn that cannot be sent. */
export function refusedEffects({ id }: Turn, { refused: error }: Refusal): HostEffect[] {
  const end: End = { type: 'end', outcome: 'error', text: '', error, exitCode: 2, started: false };
  return [{ type: 'input', inputId: id, state: 'taken', turnId: id }, eventsEffect(id, [end])];
}

function cancelledEffects({ id }: Turn, wasGiven: boolean): HostEffect[] {
  const end: End = { type: 'end', outcome: 'cancelled', text: '' };
  const given: HostEffect[] = wasGiven ? [] : [{ type: 'input', inputId: id, state: 'given' }];
  return [...given, { type: 'input', inputId: id, state: 'taken', turnId: id }, eventsEffect(id, [end])];
}

/** Adds a log event after `accepted` to a turn of which `begunAnew` says that its session was lost. */
function withLostSessionLog(effect: EventsEffect, begunAnew: Map<string, string>): EventsEffect {
  const { turnId = '', events } = effect;
  const session = begunAnew.get(turnId);
  if (session === undefined) return effect;
  begunAnew.delete(turnId);
  const text = `The agent no longer knows the session ${session}: a new conversation has begun.`;
  const log: Log = { type: 'log', level: 'warning', text, source: 'host' };
  const at = events[0]?.type === 'accepted' ? 1 : 0;
  return { ...effect, events: [...events.slice(0, at), log, ...events.slice(at)] };
}

function expiredEnd(end: End, error: Expiry): End {
  return { ...end, outcome: 'timeout', error, exitCode: 124 };
}
