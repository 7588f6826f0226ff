import type { Event, OpenAgent, Profile } from '@plugboard/host';
import type { AgentConfig } from '../config/config.ts';
import type { TurnRecorder } from '../record/turn-recorder.ts';
import { ownProfile } from './own-profile.ts';
import { createParking, type Parking } from './parking.ts';
import { createUnaskedListener, type UnaskedListener } from './unasked.ts';

/** The agents of the gateway: those it has been told of, and those that are open. */
export interface Agents {
  readonly names: readonly string[];
  readonly defaultName: string;
  get(name: string): AgentConfig | undefined;
  /** The open agent that answers in a session, and until `release` is not ended for being idle. Undefined: no such agent. */
  take(name: string, sessionId: string): Taken | undefined;
  /** A turn of this session is about to begin: where that helps, its process is begun now. */
  prepare(name: string, sessionId: string): void;
  /** The agent that holds a process for this session right now, if one does. */
  residentOf(sessionId: string): OpenAgent | undefined;
  /** Ends what an agent keeps running for a session. */
  dismiss(sessionId: string): Promise<void>;
  /** Takes other agents from now on. Turns that run go on with the agent they began with. */
  replace(agents: ReadonlyMap<string, AgentConfig>, defaultName: string): void;
  /** Processes that stay between turns. */
  readonly residents: number;
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

export interface AgentsOptions {
  readonly agents: ReadonlyMap<string, AgentConfig>;
  readonly defaultName: string;
  readonly open: (profile: Profile, recorder: TurnRecorder | undefined) => OpenAgent;
  /** Undefined when nothing is to be recorded. */
  readonly recorder: () => TurnRecorder | undefined;
  readonly listener: UnaskedListener;
}

/** One that is open. One-shot agents are shared by all sessions; a resident one belongs to its session. */
interface Entry {
  readonly agent: OpenAgent;
  readonly config: AgentConfig;
  readonly recorder: TurnRecorder | undefined;
  readonly parking: Parking | undefined;
  /** Where it was last talked to. */
  sessionId: string;
  users: number;
  /** No longer to be taken: it is closed when nobody uses it. */
  retired: boolean;
}

export function createAgents(options: AgentsOptions): Agents {
  let { agents, defaultName } = options;
  const entries = new Map<string, Entry>();
  const closing = new Set<Promise<void>>();

  const end = (key: string, entry: Entry, graceMs?: number): Promise<void> => {
    if (entries.get(key) === entry) entries.delete(key);
    entry.parking?.clear();
    const closed = entry.agent.close(graceMs === undefined ? {} : { graceMs });
    closing.add(closed);
    return closed.finally(() => closing.delete(closed));
  };
  const start = (key: string, config: AgentConfig, sessionId: string): Entry => {
    const recorder = options.recorder();
    const profile = isOwn(config) ? ownProfile(config.profile, sessionId) : config.profile;
    const agent = options.open(profile, recorder);
    const park = (): void => void end(key, entry);
    const parking = agent.resident === undefined ? undefined : createParking(agent, config.parkAfterMs, park);
    const entry: Entry = { agent, config, recorder, parking, sessionId, users: 0, retired: false };
    entries.set(key, entry);
    if (agent.resident !== undefined)
      createUnaskedListener(agent.resident, () => entry.sessionId, options.listener);
    return entry;
  };

  return {
    get names() {
      return [...agents.keys()];
    },
    get defaultName() {
      return defaultName;
    },
    get: (name) => agents.get(name),
    take(name, sessionId) {
      const config = agents.get(name);
      if (config === undefined) return undefined;
      const key = keyOf(config, sessionId);
      const entry = entries.get(key) ?? start(key, config, sessionId);
      entry.users += 1;
      entry.sessionId = sessionId;
      entry.parking?.clear();
      return {
        agent: entry.agent,
        config,
        recorder: entry.recorder,
        saw: (event) => entry.parking?.saw(event),
        release() {
          entry.users -= 1;
          if (entry.users > 0) return;
          if (entry.retired) void end(key, entry);
          else entry.parking?.start();
        },
      };
    },
    prepare(name, sessionId) {
      const config = agents.get(name);
      if (config !== undefined) entries.get(keyOf(config, sessionId))?.agent.startAhead?.();
    },
    residentOf(sessionId) {
      for (const config of agents.values()) {
        const entry = entries.get(keyOf(config, sessionId));
        if (entry?.agent.resident !== undefined) return entry.agent;
      }
      return undefined;
    },
    async dismiss(sessionId) {
      const own = [...entries].filter(([key]) => key.endsWith(`\n${sessionId}`));
      await Promise.all(own.map(([key, entry]) => end(key, entry)));
    },
    replace(next, nextDefault) {
      agents = next;
      defaultName = nextDefault;
      for (const [key, entry] of [...entries]) {
        if (next.get(entry.config.name) === entry.config) continue;
        entries.delete(key);
        entry.retired = true;
        if (entry.users === 0) void end(key, entry);
      }
    },
    get residents() {
      return [...entries.values()].filter(({ agent }) => agent.resident !== undefined).length;
    },
    async close(graceMs) {
      for (const [key, entry] of [...entries]) void end(key, entry, graceMs);
      await Promise.all(closing);
    },
  };
}

/** What an open agent is kept under: a name has no line feed. */
function keyOf(config: AgentConfig, sessionId: string): string {
  return isOwn(config) ? `${config.name}\n${sessionId}` : config.name;
}

/** Whether each session has a process of this agent to itself. */
function isOwn({ profile, share }: AgentConfig): boolean {
  return profile.dialect === 'nuum' && !share;
}
