import type { Event, OpenAgent } from '@plugboard/host';
import type { Errand } from '@plugboard/store';
import type { AgentConfig } from '../config/config.ts';
import type { TurnRecorder } from '../record/turn-recorder.ts';
import { concludeDoings } from './doings.ts';
import { isResident, keyOf } from './entry.ts';
import { createErrandBook } from './errand-book.ts';
import { type AgentsOptions, endEntry, entryFor, leaveIdle, type Roster, sawEvent } from './roster.ts';
import { onSilent, rouse } from './rousing.ts';
import { createWaking, PACE } from './waking.ts';

/** The agents of the gateway: those it has been told of, and those that are open. */
export interface Agents {
  readonly names: readonly string[];
  readonly defaultName: string;
  get(name: string): AgentConfig | undefined;
  /**
   * The open agent that answers in a session, and until `release` is not ended for being idle. `brief`: a further turn of the session is
   * not expected, so that its process is the first to end when too many have nothing to do. Undefined: no such agent.
   */
  take(name: string, sessionId: string, brief?: boolean): Taken | undefined;
  /** A turn of this session is about to begin: where that helps, its process is begun now. */
  prepare(name: string, sessionId: string): void;
  /** The agent that holds a process for this session right now, if one does. */
  residentOf(sessionId: string): OpenAgent | undefined;
  /**
   * Opens those again that had something to do when the gateway before this one ended, some at a time. Those that were
   * interrupted in a turn may have set something going that nobody heard of. Settles when it is known which, and not when
   * they are up.
   */
  wake(interrupted: readonly Errand[]): Promise<void>;
  /** Whether this agent has tasks or alarms under way in a session that end when it is dismissed. A shared one goes on. */
  isUnderWay(name: string, sessionId: string): boolean;
  /** Ends what agents keep running for a session, except for one of them if it is named. */
  dismiss(sessionId: string, except?: string): Promise<void>;
  /** Takes other agents from now on. Turns that run go on with the agent they began with. */
  replace(agents: ReadonlyMap<string, AgentConfig>, defaultName: string): void;
  /** Processes that stay between turns. */
  readonly residents: number;
  /** The sessions that have an agent to themselves. */
  readonly sessions: readonly string[];
  close(graceMs: number): Promise<void>;
}

/** An agent in use. */
export interface Taken {
  readonly agent: OpenAgent;
  readonly config: AgentConfig;
  readonly recorder: TurnRecorder | undefined;
  /** Must be shown every event of the turns it runs. */
  saw(event: Event): void;
  release(): void;
}

export function createAgents(options: AgentsOptions): Agents {
  let { defaultName } = options;
  const { log, room, pace = PACE } = options;
  const roster: Roster = {
    options,
    agents: options.agents,
    entries: new Map(),
    closing: new Set(),
    book: createErrandBook(options.errands, log),
    waking: createWaking({
      pace,
      log,
      room,
      open: (errand) => rouse(roster, errand),
      onSilent: (errand) => onSilent(roster, errand),
    }),
  };
  const { entries, book, waking } = roster;

  return {
    get names() {
      return [...roster.agents.keys()];
    },
    get defaultName() {
      return defaultName;
    },
    get: (name) => roster.agents.get(name),
    take: (name, sessionId, brief = false) => take(roster, name, sessionId, brief),
    prepare(name, sessionId) {
      const config = roster.agents.get(name);
      if (config === undefined) return;
      waking.excuse(sessionId);
      entries.get(keyOf(config, sessionId))?.agent.startAhead?.();
    },
    residentOf(sessionId) {
      for (const config of roster.agents.values()) {
        const entry = entries.get(keyOf(config, sessionId));
        if (entry?.agent.resident !== undefined) return entry.agent;
      }
      return undefined;
    },
    async wake(interrupted) {
      await book.load();
      for (const errand of interrupted) {
        const config = roster.agents.get(errand.agent);
        if (config !== undefined && isResident(config)) book.note(errand, true, config.share);
      }
      waking.wake(book.all);
    },
    isUnderWay: (name, sessionId) =>
      book.has({ sessionId, agent: name }) && roster.agents.get(name)?.share !== true,
    async dismiss(sessionId, except) {
      if (except === undefined || !book.has({ sessionId, agent: except })) book.clear(sessionId);
      const own = [...entries.values()].filter(
        ({ key, config }) => key.endsWith(`\n${sessionId}`) && config.name !== except,
      );
      await Promise.all(own.map((entry) => endEntry(roster, entry)));
    },
    replace(next, nextDefault) {
      defaultName = nextDefault;
      replace(roster, next);
    },
    get residents() {
      return [...entries.values()].filter(({ agent }) => agent.resident !== undefined).length;
    },
    get sessions() {
      return [...entries.values()].filter(({ key }) => key.includes('\n')).map(({ sessionId }) => sessionId);
    },
    async close(graceMs) {
      waking.close();
      for (const entry of [...entries.values()]) void endEntry(roster, entry, graceMs);
      await Promise.all(roster.closing);
    },
  };
}

function take(roster: Roster, name: string, sessionId: string, brief: boolean): Taken | undefined {
  const config = roster.agents.get(name);
  if (config === undefined) return undefined;
  const entry = entryFor(roster, config, sessionId);
  entry.users += 1;
  entry.sessionId = sessionId;
  entry.brief = brief;
  entry.parking?.clear();
  return {
    agent: entry.agent,
    config,
    recorder: entry.recorder,
    saw: entry.parking === undefined ? ignore : (event) => sawEvent(roster, entry, event),
    release() {
      entry.users -= 1;
      if (entry.users > 0) return;
      concludeDoings(roster, entry);
      if (entry.retired) void endEntry(roster, entry);
      else leaveIdle(roster, entry);
    },
  };
}

function ignore(): void {}

function replace(roster: Roster, next: ReadonlyMap<string, AgentConfig>): void {
  const { entries, waking, book } = roster;
  roster.agents = next;
  for (const entry of [...entries.values()]) {
    if (next.get(entry.config.name) === entry.config) continue;
    entries.delete(entry.key);
    entry.retired = true;
    if (entry.users === 0) void endEntry(roster, entry);
  }
  // Agents that were ended because their configuration has changed go on with their background work.
  waking.wake(book.all);
}
