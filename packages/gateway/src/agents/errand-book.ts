import { reasonOf } from '@plugboard/protocol';
import type { Errand, Errands } from '@plugboard/store';
import type { Logger } from '../log.ts';

/** In which sessions an agent has something to do by itself. */
export interface ErrandBook {
  /** Reads what was noted by the gateway before this one. */
  load(): Promise<void>;
  readonly all: readonly Errand[];
  has(errand: Errand): boolean;
  /** What an agent says of itself. One that is shared by all sessions has it in the one where it was last talked to. */
  note(errand: Errand, underWay: boolean, shared: boolean): void;
  /** Nobody has anything to do in a session any more. */
  clear(sessionId: string): void;
}

/**
 * The book is in memory and on the disk, and is written when what it says changes: a turn that leaves an agent with as
 * much to do as before writes nothing. What could not be written is tried again with the next thing the agent says.
 */
export function createErrandBook(store: Errands, log: Logger): ErrandBook {
  const agents = new Map<string, string>();

  const set = (sessionId: string, agent: string | undefined): void => {
    const before = agents.get(sessionId);
    if (before === agent) return;
    put(agents, sessionId, agent);
    store.note(sessionId, agent).catch((error) => {
      if (agents.get(sessionId) === agent) put(agents, sessionId, before);
      log.warn(`What an agent has to do was not noted: ${reasonOf(error)}`, { session: sessionId });
    });
  };
  return {
    async load() {
      try {
        for (const { sessionId, agent } of await store.list()) agents.set(sessionId, agent);
      } catch (error) {
        log.error(`What agents have to do cannot be read; they are not opened: ${reasonOf(error)}`);
      }
    },
    get all() {
      return [...agents].map(([sessionId, agent]) => ({ sessionId, agent }));
    },
    has: ({ sessionId, agent }) => agents.get(sessionId) === agent,
    note({ sessionId, agent }, underWay, shared) {
      if (shared) for (const [id, name] of agents) if (name === agent && id !== sessionId) set(id, undefined);
      if (underWay) set(sessionId, agent);
      else if (agents.get(sessionId) === agent) set(sessionId, undefined);
    },
    clear: (sessionId) => set(sessionId, undefined),
  };
}

function put(agents: Map<string, string>, sessionId: string, agent: string | undefined): void {
  if (agent === undefined) agents.delete(sessionId);
  else agents.set(sessionId, agent);
}
