import { type Event, fillSession, type OpenAgent, type Profile } from '@plugboard/host';
import type { Errands } from '@plugboard/store';
import type { AgentConfig } from '../config/config.ts';
import type { Logger } from '../log.ts';
import type { TurnRecorder } from '../record/turn-recorder.ts';
import { noteDoings } from './doings.ts';
import { type Entry, errandOf, isResident, keyOf } from './entry.ts';
import type { ErrandBook } from './errand-book.ts';
import { createParking } from './parking.ts';
import { createUnaskedListener, type UnaskedListener } from './unasked.ts';
import type { Waking, WakingPace } from './waking.ts';
import type { ProcessWatch } from './watched-spawner.ts';

export interface AgentsOptions {
  readonly agents: ReadonlyMap<string, AgentConfig>;
  readonly defaultName: string;
  /** Opens one; `watch`, if given, hears of its processes. */
  readonly open: (profile: Profile, recorder: TurnRecorder | undefined, watch?: ProcessWatch) => OpenAgent;
  /** Undefined when nothing is to be recorded. */
  readonly recorder: () => TurnRecorder | undefined;
  readonly listener: UnaskedListener;
  /** Where it is kept which agents have something to do by themselves. */
  readonly errands: Errands;
  /** Most idle processes of resident agents: without a turn, and without background work. */
  readonly idleLimit: () => number;
  /** How many processes may be begun that nobody has asked for. */
  readonly room: () => number;
  readonly log: Logger;
  readonly pace?: WakingPace;
}

/** The agents there are, and those that are open. */
export interface Roster {
  readonly options: AgentsOptions;
  agents: ReadonlyMap<string, AgentConfig>;
  readonly entries: Map<string, Entry>;
  readonly closing: Set<Promise<void>>;
  readonly book: ErrandBook;
  readonly waking: Waking;
}

/** The open agent of a session, opened now if it was not. */
export function entryFor(roster: Roster, config: AgentConfig, sessionId: string): Entry {
  const key = keyOf(config, sessionId);
  const open = roster.entries.get(key);
  if (open !== undefined) return open;
  const entry = isResident(config)
    ? openResident(roster, key, config, sessionId)
    : openOneShot(roster, key, config, sessionId);
  roster.entries.set(key, entry);
  return entry;
}

/** Ends an agent, which is taken by nobody from now on. */
export function endEntry({ entries, closing }: Roster, entry: Entry, graceMs?: number): Promise<void> {
  if (entries.get(entry.key) === entry) entries.delete(entry.key);
  entry.parking?.clear();
  const closed = entry.agent.close(graceMs === undefined ? {} : { graceMs });
  closing.add(closed);
  return closed.finally(() => closing.delete(closed));
}

function openOneShot({ options }: Roster, key: string, config: AgentConfig, sessionId: string): Entry {
  const recorder = options.recorder();
  const agent = options.open(config.profile, recorder);
  return { key, agent, config, recorder, parking: undefined, ...unused(sessionId) };
}

function openResident(roster: Roster, key: string, config: AgentConfig, sessionId: string): Entry {
  const { options } = roster;
  const recorder = options.recorder();
  const profile = config.share ? config.profile : fillSession(config.profile, sessionId);
  const watch: ProcessWatch = {
    onStart: () => begun(entry),
    onEnd: () => fallen(roster, entry),
  };
  const agent = options.open(profile, recorder, watch);
  const parking = createParking(agent, config.parkAfterMs, () => park(roster, entry));
  const entry: Entry = { key, agent, config, recorder, parking, ...unused(sessionId) };
  listen(roster, entry);
  return entry;
}

function unused(
  sessionId: string,
): Pick<Entry, 'sessionId' | 'brief' | 'users' | 'retired' | 'life' | 'doing'> {
  return { sessionId, brief: false, users: 0, retired: false, life: undefined, doing: undefined };
}

function begun(entry: Entry): void {
  entry.life = { since: performance.now(), ready: false };
}

/** One that we have ended ourselves is no longer among the entries. */
function fallen({ entries, book, waking }: Roster, entry: Entry): void {
  const livedMs = performance.now() - (entry.life?.since ?? 0);
  entry.life = undefined;
  const errand = errandOf(entry);
  if (entries.get(entry.key) === entry && book.has(errand)) waking.fell(errand, livedMs);
}

function listen(roster: Roster, entry: Entry): void {
  const { resident } = entry.agent;
  const { listener } = roster.options;
  if (resident === undefined) return;
  const onTurn: UnaskedListener['onTurn'] = (sessionId, run) => {
    settle(roster, entry);
    listener.onTurn(sessionId, run);
  };
  createUnaskedListener(
    resident,
    () => entry.sessionId,
    { ...listener, onTurn },
    (event) => sawEvent(roster, entry, event),
  );
}

/** Must be shown everything that a resident agent says. */
export function sawEvent(roster: Roster, entry: Entry, event: Event): void {
  entry.parking?.saw(event);
  if (event.type === 'ready' && entry.life !== undefined) entry.life.ready = true;
  // What one says that is being ended is no measure of what it would do if it went on.
  if (roster.entries.get(entry.key) !== entry) return;
  noteDoings(roster, entry, event);
  if (event.type !== 'tasks') return;
  settle(roster, entry);
}

/** It is up. One that nobody uses is looked after until it has nothing to do. */
function settle({ waking }: Roster, entry: Entry): void {
  waking.settled(entry.sessionId);
  if (entry.users === 0) entry.parking?.start();
}

/**
 * Nobody uses an agent any more. Its process stays for its next turn. When more processes stay that have nothing to do than `idleLimit` allows,
 * some are ended: first those of sessions that programs began without a name, and of each kind the one that was used longest ago.
 */
export function leaveIdle(roster: Roster, entry: Entry): void {
  const { entries, options } = roster;
  if (entry.parking === undefined || entries.get(entry.key) !== entry) return;
  // At the end of the map: the entries stand in the order of their last use.
  entries.delete(entry.key);
  entries.set(entry.key, entry);
  entry.parking.start();
  const idle = [...entries.values()].filter(
    ({ life, users, parking }) => life !== undefined && users === 0 && parking?.isIdle() === true,
  );
  const ordered = [...idle.filter(({ brief }) => brief), ...idle.filter(({ brief }) => !brief)];
  for (const one of ordered.slice(0, Math.max(0, idle.length - options.idleLimit()))) park(roster, one);
}

/** Nobody uses it, and it has nothing to do. */
function park(roster: Roster, entry: Entry): void {
  roster.book.note(errandOf(entry), false, entry.config.share);
  void endEntry(roster, entry);
}
