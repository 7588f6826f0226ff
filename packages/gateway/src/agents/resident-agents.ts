import type { AgentConfig } from '../config/config.ts';
import type { WorkNotes } from './background-work.ts';
import { type AgentsOptions, RESTART_LIMITS } from './options.ts';
import {
  closeResident,
  isUsed,
  openResident,
  type Resident,
  type Residents,
  removeResident,
  sessionOf,
  signalResident,
  startForWork,
  useResident,
} from './resident-process.ts';
import { createStartQueue } from './start-queue.ts';
import type { Taken, TurnAgent } from './turn-agent.ts';

/** Agents with a process that stays between turns. */
export interface ResidentAgents {
  take(config: AgentConfig, sessionId: string, isBrief: boolean): Taken;
  /** Keeps `agent` for a turn that it has begun by itself. Undefined when it is not one of these. */
  hold(agent: TurnAgent, sessionId: string): (() => void) | undefined;
  /** Starts the process for a turn that is about to come. False when the agent is not open. */
  prepare(config: AgentConfig, sessionId: string, agentSession?: string): boolean;
  /** Starts the process of an agent with background work when there is room. */
  restart(config: AgentConfig, sessionId: string): void;
  /** Ends the agents of a session, except those named `except`. Shared agents stay. */
  dismiss(sessionId: string, except: string | undefined): Promise<void>;
  /** Ends agents whose configuration is not in `agents`, after their last turn. */
  replace(agents: ReadonlyMap<string, AgentConfig>): void;
  /** Number of agents that are open. */
  readonly count: number;
  /** Ids of sessions with an open agent of their own. */
  readonly sessions: readonly string[];
  /** Whether an agent of the session alone has a running process. */
  hasProcess(sessionId: string): boolean;
  close(graceMs: number): Promise<void>;
}

export function createResidentAgents(options: AgentsOptions, notes: WorkNotes): ResidentAgents {
  const limits = options.restarts ?? RESTART_LIMITS;
  const { room } = options;
  const { together, lookMs } = limits;
  const queue = createStartQueue<Resident>({
    together,
    room,
    lookMs,
    start: (one) => startForWork(all, one),
  });
  const all: Residents = {
    ...{ options, limits, notes, queue },
    byKey: new Map(),
    retired: new Set(),
    closing: new Set(),
  };
  const { byKey, retired, closing } = all;
  const isOpen = ({ opened }: Resident): boolean => opened !== undefined;
  return {
    take(config, sessionId, isBrief) {
      const resident = findResident(all, config, sessionId);
      const { agent } = openResident(all, resident);
      return { agent, release: useResident(all, resident, sessionId, isBrief) };
    },
    hold(agent, sessionId) {
      for (const resident of [...byKey.values(), ...retired])
        if (resident.opened?.agent === agent) return useResident(all, resident, sessionId, false);
      return undefined;
    },
    prepare(config, sessionId, agentSession) {
      const resident = byKey.get(keyOf(config, sessionId));
      if (resident === undefined) return false;
      resident.failures = 0;
      if (!config.share) resident.agentSession = agentSession;
      if (resident.users === 0 && !isOpen(resident)) signalResident(all, resident, 'started');
      resident.opened?.stream.start({ ...sessionOf(resident), key: sessionId });
      return isOpen(resident);
    },
    restart: (config, sessionId) => queue.add(findResident(all, config, sessionId)),
    async dismiss(sessionId, except) {
      const own = [...byKey.values()].filter(
        ({ config, sessionId: id }) => !config.share && id === sessionId && config.name !== except,
      );
      await Promise.all(own.map((resident) => removeResident(all, resident)));
    },
    replace(agents) {
      for (const resident of [...byKey.values()]) {
        if (agents.get(resident.config.name) === resident.config) continue;
        byKey.delete(resident.key);
        resident.isRetired = true;
        if (isUsed(resident)) retired.add(resident);
        else void closeResident(all, resident);
      }
    },
    get count() {
      return [...byKey.values()].filter(isOpen).length;
    },
    get sessions() {
      const own = [...byKey.values()].filter((one) => !one.config.share && isOpen(one));
      return own.map(({ sessionId }) => sessionId);
    },
    hasProcess: (sessionId) =>
      [...byKey.values(), ...retired].some(
        (one) => !one.config.share && one.sessionId === sessionId && one.upSince !== undefined,
      ),
    async close(graceMs) {
      queue.close();
      for (const resident of [...byKey.values(), ...retired]) void removeResident(all, resident, graceMs);
      await Promise.all(closing);
    },
  };
}

/** An agent name contains no line feed, so that keys are unique. */
function keyOf({ name, share }: AgentConfig, sessionId: string): string {
  return share ? name : `${name}\n${sessionId}`;
}

function findResident({ byKey }: Residents, config: AgentConfig, sessionId: string): Resident {
  const key = keyOf(config, sessionId);
  const found = byKey.get(key);
  if (found !== undefined) return found;
  const resident: Resident = {
    ...{ key, config, sessionId, agentSession: undefined },
    isBrief: false,
    state: 'parked',
    users: 0,
    turns: new Set(),
    work: 'unknown',
    isReady: false,
    isRetired: false,
    failures: 0,
    upSince: undefined,
    opened: undefined,
    timers: new Map(),
  };
  byKey.set(key, resident);
  return resident;
}
