import type { OpenAgent } from '@plugboard/host';
import { dialects } from '@plugboard/protocol';
import type { Errand } from '@plugboard/store';
import type { AgentConfig } from '../config/config.ts';
import { createWorkNotes } from './background-work.ts';
import type { AgentsOptions } from './options.ts';
import { createResidentAgents } from './resident-agents.ts';
import { resumesWork } from './resident-process.ts';
import { createOneShotAgent, type Taken, type TurnAgent } from './turn-agent.ts';

/** Configured and open agents of the gateway. */
export interface Agents {
  readonly names: readonly string[];
  readonly defaultName: string;
  get(name: string): AgentConfig | undefined;
  /**
   * Returns the open agent of a session, which is not parked until `release`. `isBrief` says that the session expects no
   * further turn: its process is the first to end beyond `idleLimit`. Undefined when `name` is not configured.
   */
  take(name: string, sessionId: string, isBrief?: boolean): Taken | undefined;
  /** Keeps `agent`, which has begun a turn by itself, from being parked until the returned function is called. */
  hold(agent: TurnAgent, sessionId: string): () => void;
  /**
   * Starts the process of the next turn of a session early, where the dialect supports it. Has an effect once per turn.
   * `agentSession` is the agent's own id of the session, with which a process for one session is started.
   */
  prepare(name: string, sessionId: string, agentSession?: string): void;
  /**
   * Starts agents whose background work nobody does, since the gateway that had them ended, a few at a time. Agents in `interrupted`
   * turns are included, since a lasting tool may have been called unrecorded. Settles when the list is known, before the
   * processes are up.
   */
  wake(interrupted: readonly Errand[]): Promise<void>;
  /** Whether the agent has tasks or alarms in a session that `dismiss` would end. A shared agent is not ended. */
  isUnderWay(name: string, sessionId: string): boolean;
  /** Closes the agents of a session, except the agent named `except`. */
  dismiss(sessionId: string, except?: string): Promise<void>;
  /** Ends the processes of a session that another gateway has now; its background work goes on there. */
  yieldSession(sessionId: string): Promise<void>;
  /** Replaces the configuration. Running turns keep the agent that they started with. */
  replace(agents: ReadonlyMap<string, AgentConfig>, defaultName: string): void;
  /** Number of agents that keep a process between turns. */
  readonly residents: number;
  /** Ids of sessions with an agent that is not shared. */
  readonly sessions: readonly string[];
  /** Whether an agent that is not shared has a running process for the session. */
  hasProcess(sessionId: string): boolean;
  /** Whether an agent has a process for the session, or will be started again for its background work. */
  isAtWork(sessionId: string): boolean;
  close(graceMs: number): Promise<void>;
}

/** An agent with a process for each turn serves all sessions. */
interface OneShot {
  readonly config: AgentConfig;
  readonly open: OpenAgent;
  readonly agent: TurnAgent;
  users: number;
}

export function createAgents(options: AgentsOptions): Agents {
  let { agents, defaultName } = options;
  const notes = createWorkNotes(options.errands, options.log);
  const residents = createResidentAgents(options, notes);
  const oneShots = new Map<string, OneShot>();
  /** Agents of an earlier configuration whose last turn still runs. */
  const retired = new Set<OneShot>();
  /** Sessions whose next turn `prepare` has started a process for. */
  const prepared = new Set<string>();

  const takeOneShot = (config: AgentConfig): OneShot => {
    const found = oneShots.get(config.name);
    if (found !== undefined) return found;
    const recorder = options.recorder();
    const open = options.open(config.profile, recorder);
    const agent = createOneShotAgent(open, config, recorder, options.listener);
    const oneShot = { config, open, agent, users: 0 };
    oneShots.set(config.name, oneShot);
    return oneShot;
  };
  const takeFrom = (config: AgentConfig, sessionId: string, isBrief: boolean): Taken => {
    if (isResident(config)) return residents.take(config, sessionId, isBrief);
    const oneShot = takeOneShot(config);
    oneShot.users += 1;
    return {
      agent: oneShot.agent,
      release() {
        oneShot.users -= 1;
        if (oneShot.users === 0 && retired.delete(oneShot)) void oneShot.open.close();
      },
    };
  };
  const startForWork = (): void => {
    for (const { sessionId, agent } of notes.all) {
      const config = agents.get(agent);
      // An agent that was removed from the configuration may be added again: its note stays.
      if (config === undefined) continue;
      if (resumesWork(config)) residents.restart(config, sessionId);
      else notes.clear(sessionId);
    }
  };
  return {
    get names() {
      return [...agents.keys()];
    },
    get defaultName() {
      return defaultName;
    },
    get: (name) => agents.get(name),
    take(name, sessionId, isBrief = false) {
      const config = agents.get(name);
      if (config === undefined) return undefined;
      const { agent, release } = takeFrom(config, sessionId, isBrief);
      return {
        agent,
        release() {
          prepared.delete(sessionId);
          release();
        },
      };
    },
    hold: (agent, sessionId) => residents.hold(agent, sessionId) ?? (() => {}),
    prepare(name, sessionId, agentSession) {
      const config = agents.get(name);
      if (config === undefined || prepared.has(sessionId)) return;
      if (isResident(config) && !residents.prepare(config, sessionId, agentSession)) return;
      prepared.add(sessionId);
      if (!isResident(config)) oneShots.get(name)?.open.startAhead?.();
    },
    async wake(interrupted) {
      await notes.load(options.adopt);
      for (const errand of interrupted) {
        const config = agents.get(errand.agent);
        if (config !== undefined && resumesWork(config)) notes.note(errand, true, config.share);
      }
      startForWork();
    },
    isUnderWay: (name, sessionId) =>
      notes.has({ sessionId, agent: name }) && agents.get(name)?.share !== true,
    async dismiss(sessionId, except) {
      if (except === undefined || !notes.has({ sessionId, agent: except })) notes.clear(sessionId);
      await residents.dismiss(sessionId, except);
    },
    async yieldSession(sessionId) {
      notes.forget(sessionId);
      await residents.dismiss(sessionId, undefined);
    },
    replace(next, nextDefault) {
      agents = next;
      defaultName = nextDefault;
      for (const [name, oneShot] of oneShots) {
        if (next.get(name) === oneShot.config) continue;
        oneShots.delete(name);
        if (oneShot.users > 0) retired.add(oneShot);
        else void oneShot.open.close();
      }
      residents.replace(next);
      // Agents that were closed for a changed configuration resume their background work.
      startForWork();
    },
    get residents() {
      return residents.count;
    },
    get sessions() {
      return residents.sessions;
    },
    hasProcess: (sessionId) => residents.hasProcess(sessionId),
    isAtWork: (sessionId) => residents.hasProcess(sessionId) || notes.hasAny(sessionId),
    async close(graceMs) {
      await Promise.all([
        residents.close(graceMs),
        ...[...oneShots.values(), ...retired].map(({ open }) => open.close({ graceMs })),
      ]);
    },
  };
}

/** Whether the dialect keeps a process between turns. */
function isResident({ profile }: AgentConfig): boolean {
  return dialects[profile.dialect].host.process === 'per-session';
}
