import { type AgentStream, type Event, fillSession, type StreamEffect } from '@plugboard/host';
import { dialects, type SessionRef } from '@plugboard/protocol';
import type { Errand } from '@plugboard/store';
import type { AgentConfig } from '../config/config.ts';
import type { WorkNotes } from './background-work.ts';
import { type BackgroundWork, type LifeSignal, type LifeState, nextState, workAfter } from './life.ts';
import type { AgentsOptions, RestartLimits } from './options.ts';
import type { StartQueue } from './start-queue.ts';
import { createResidentAgent, type TurnAgent } from './turn-agent.ts';

/** The agent of a session, or of all sessions with `share`; its process comes and goes. */
export interface Resident {
  readonly key: string;
  readonly config: AgentConfig;
  /** The session of its last turn, to which its background work belongs. */
  sessionId: string;
  /** The agent's own id of that session, where it is known. */
  agentSession: string | undefined;
  /** Whether the session probably has no further turn. */
  isBrief: boolean;
  state: LifeState;
  /** Turns of sessions that use it. */
  users: number;
  /** Turns of the agent that have begun and not ended, as far as their events were read. */
  readonly turns: Set<string>;
  work: BackgroundWork;
  isReady: boolean;
  isRetired: boolean;
  failures: number;
  /** Start of the process; undefined without one. */
  upSince: number | undefined;
  /** Undefined while `parked` or `failed`. */
  opened: { readonly stream: AgentStream; readonly agent: TurnAgent } | undefined;
  readonly timers: Map<TimerName, NodeJS.Timeout>;
}

/** `evicted` parks an idle process, `silent` ends a start, `again` starts a failed process once more. */
type TimerName = 'evicted' | 'silent' | 'again';

export interface Residents {
  readonly options: AgentsOptions;
  readonly limits: RestartLimits;
  readonly notes: WorkNotes;
  /** In the order of last use. */
  readonly byKey: Map<string, Resident>;
  readonly retired: Set<Resident>;
  readonly closing: Set<Promise<void>>;
  readonly queue: StartQueue<Resident>;
}

export function openResident(all: Residents, resident: Resident): NonNullable<Resident['opened']> {
  if (resident.opened !== undefined) return resident.opened;
  const { options } = all;
  const { config, sessionId } = resident;
  const recorder = options.recorder();
  const profile = config.share ? config.profile : fillSession(config.profile, sessionId);
  const isCurrent = (): boolean => resident.opened === opened;
  const watch = {
    onStart() {
      if (isCurrent()) Object.assign(resident, { upSince: performance.now(), isReady: false });
    },
    onEnd() {
      if (isCurrent()) noteEnd(all, resident);
    },
  };
  // `ask` here serves turns that the agent begins by itself; `send` passes its own.
  const ask = config.share ? undefined : options.asks.by({ id: sessionId, channel: '' }, config);
  const stream = options.openStream(profile, recorder, watch, ask);
  const opened = { stream, agent: createResidentAgent(stream, config, recorder) };
  resident.opened = opened;
  const effects = watchEffects(stream.effects(), (effect) => {
    // A closing agent may report its tasks as ended, although the next process would resume them.
    if (isCurrent()) noteEffect(all, resident, effect);
  });
  options.listener(opened.agent, effects, () => resident.sessionId);
  return opened;
}

/** Calls `saw` with each effect before it is yielded. */
async function* watchEffects(
  effects: AsyncIterable<readonly StreamEffect[]>,
  saw: (effect: StreamEffect) => void,
): AsyncGenerator<readonly StreamEffect[]> {
  for await (const batch of effects) {
    for (const effect of batch) saw(effect);
    yield batch;
  }
}

/** The session that a process is started for. */
export function sessionOf({ sessionId: key, agentSession: agentId }: Resident): SessionRef {
  return agentId === undefined ? { key } : { key, agentId };
}

export function useResident(
  all: Residents,
  resident: Resident,
  sessionId: string,
  isBrief: boolean,
): () => void {
  resident.users += 1;
  resident.sessionId = sessionId;
  resident.isBrief = isBrief;
  signalResident(all, resident, 'used');
  return () => {
    resident.users -= 1;
    noteUnused(all, resident);
  };
}

export const isUsed = ({ users, turns }: Resident): boolean => users > 0 || turns.size > 0;

function noteUnused(all: Residents, resident: Resident): void {
  if (isUsed(resident)) return;
  if (resident.work === 'none') noteWork(all, resident, false);
  signalResident(all, resident, 'unused');
}

function noteEffect(all: Residents, resident: Resident, effect: StreamEffect): void {
  if (effect.type !== 'events') return;
  const { turnId, events } = effect;
  for (const event of events) noteEvent(all, resident, event);
  if (turnId === undefined) return;
  if (events.at(-1)?.type === 'end') {
    resident.turns.delete(turnId);
    noteUnused(all, resident);
  } else if (!resident.turns.has(turnId)) {
    resident.turns.add(turnId);
    signalResident(all, resident, 'used');
  }
}

function noteEvent(all: Residents, resident: Resident, event: Event): void {
  if (event.type === 'ready') resident.isReady = true;
  if (event.type === 'session' && !resident.config.share) resident.agentSession = event.id;
  const before = resident.work;
  resident.work = workAfter(before, event, event.type === 'tool-call' && isLasting(resident, event.name));
  const { work } = resident;
  if (work === 'some' || (work === 'perhaps' && before !== work)) noteWork(all, resident, true);
  // The result of the work may still need a turn: a note is removed when no turn uses the agent.
  if (work === 'none' && !isUsed(resident)) noteWork(all, resident, false);
  if (event.type === 'tasks') signalResident(all, resident, work === 'some' ? 'has-work' : 'has-none');
}

function isLasting({ config }: Resident, tool: string): boolean {
  return dialects[config.profile.dialect].host.lastingTools?.has(tool) === true;
}

/** Whether a new process resumes background work (`HostSide.resumesWork`). */
export function resumesWork({ profile }: AgentConfig): boolean {
  return dialects[profile.dialect].host.resumesWork === true;
}

function noteWork({ notes }: Residents, resident: Resident, hasWork: boolean): void {
  notes.note(errandOf(resident), hasWork, resident.config.share);
}

function errandOf({ sessionId, config }: Resident): Errand {
  return { sessionId, agent: config.name };
}

/** The process has ended by itself. */
function noteEnd(all: Residents, resident: Resident): void {
  const { upSince = performance.now() } = resident;
  if (performance.now() - upSince >= all.limits.steadyMs) resident.failures = 0;
  resident.upSince = undefined;
  all.options.onProcessEnd(resident.sessionId);
  signalResident(all, resident, 'died');
}

/** Starts the process of an agent with background work. False when it is up, or has nothing to do. */
export function startForWork(all: Residents, resident: Resident): boolean {
  if (resident.upSince !== undefined) return false;
  if (all.notes.has(errandOf(resident))) signalResident(all, resident, 'started');
  else if (resident.state === 'parked') void closeResident(all, resident);
  const isStarting = resident.state === 'starting';
  // A process that cannot be launched does not end.
  if (isStarting && resident.upSince === undefined) signalResident(all, resident, 'died');
  return isStarting;
}

/** Moves the agent to its next state and does what the change of state asks for. */
export function signalResident(all: Residents, resident: Resident, what: LifeSignal): void {
  const { state: before } = resident;
  const state = nextState(before, what, {
    isUp: resident.upSince !== undefined,
    isReady: resident.isReady,
    work: resident.work,
    isNoted: resumesWork(resident.config) && all.notes.has(errandOf(resident)),
    isRetired: resident.isRetired,
  });
  if (state === before) return;
  resident.state = state;
  for (const timer of resident.timers.values()) clearTimeout(timer);
  resident.timers.clear();
  if (before === 'starting') all.queue.settle(resident);
  enterState(all, resident);
}

function enterState(all: Residents, resident: Resident): void {
  const { limits } = all;
  switch (resident.state) {
    case 'starting':
      setTimer(all, resident, 'silent', limits.settleMs);
      openResident(all, resident).stream.start(sessionOf(resident));
      return;
    case 'idle':
      if (resident.config.parkAfterMs > 0) setTimer(all, resident, 'evicted', resident.config.parkAfterMs);
      return evictBeyondLimit(all, resident);
    case 'parked':
      // A retired agent goes on with its work under the new configuration.
      if (!resident.isRetired) noteWork(all, resident, false);
      return void closeResident(all, resident);
    case 'failed':
      return restartLater(all, resident);
    default:
  }
}

function setTimer(all: Residents, resident: Resident, name: TimerName, ms: number): void {
  const run = (): void => (name === 'again' ? all.queue.add(resident) : signalResident(all, resident, name));
  resident.timers.set(name, setTimeout(run, ms).unref());
}

/**
 * Ends idle processes beyond `idleLimit`: those of brief sessions first, and within each kind the least recently used.
 */
function evictBeyondLimit(all: Residents, resident: Resident): void {
  const { byKey, options } = all;
  if (byKey.get(resident.key) !== resident) return;
  byKey.delete(resident.key);
  byKey.set(resident.key, resident);
  const idle = [...byKey.values()].filter(({ state }) => state === 'idle');
  const ordered = [...idle.filter(({ isBrief }) => isBrief), ...idle.filter(({ isBrief }) => !isBrief)];
  for (const one of ordered.slice(0, Math.max(0, idle.length - options.idleLimit())))
    signalResident(all, one, 'evicted');
}

/** Its process has ended although it has background work. After `attempts` it waits for the next message. */
function restartLater(all: Residents, resident: Resident): void {
  const { limits, options } = all;
  const { failures, sessionId, config } = resident;
  void closeStream(all, resident);
  const fields = { agent: config.name, session: sessionId };
  if (failures >= limits.attempts) {
    const often = `It has ended ${failures + 1} times`;
    const text = `An agent has background work and does not stay. ${often}: it is not started again before it is needed.`;
    return options.log.error(text, { ...fields, code: 'agent-given-up' });
  }
  resident.failures += 1;
  setTimer(all, resident, 'again', limits.pauseMs * 2 ** failures);
  const text = 'An agent that has background work has ended; it is started again.';
  options.log.warn(text, { ...fields, code: 'agent-restarted' });
}

/** Removes an agent at once, whatever it does. */
export function removeResident(all: Residents, resident: Resident, graceMs?: number): Promise<void> {
  for (const timer of resident.timers.values()) clearTimeout(timer);
  resident.timers.clear();
  resident.state = 'parked';
  all.queue.settle(resident);
  return closeResident(all, resident, graceMs);
}

/** Closes an agent and forgets it, so that no later turn takes it. */
export function closeResident(all: Residents, resident: Resident, graceMs?: number): Promise<void> {
  const { byKey, retired } = all;
  if (byKey.get(resident.key) === resident) byKey.delete(resident.key);
  retired.delete(resident);
  return closeStream(all, resident, graceMs);
}

async function closeStream(
  { closing, options }: Residents,
  resident: Resident,
  graceMs?: number,
): Promise<void> {
  const { opened, sessionId } = resident;
  if (opened === undefined) return;
  Object.assign(resident, { opened: undefined, upSince: undefined, work: 'unknown', isReady: false });
  resident.turns.clear();
  const closed = opened.stream.close(graceMs === undefined ? {} : { graceMs });
  closing.add(closed);
  await closed.finally(() => {
    closing.delete(closed);
    options.onProcessEnd(sessionId);
  });
}
