import { reasonOf } from '@plugboard/protocol';
import type { Errand, Errands } from '@plugboard/store';
import type { Logger } from '../log.ts';

/** Which agents have background work, tasks or alarms, and in which sessions. */
export interface WorkNotes {
  /** Loads the stored notes of work that nobody does: `adopt` tells of each whether it is this gateway's to do. */
  load(adopt: (errand: Errand) => Promise<boolean>): Promise<void>;
  readonly all: readonly Errand[];
  has(errand: Errand): boolean;
  /** Whether any agent has background work in a session. */
  hasAny(sessionId: string): boolean;
  /** Records whether an agent has background work. A `shared` agent has it only in the session of its last turn. */
  note(errand: Errand, hasWork: boolean, shared: boolean): void;
  /** Removes the note of a session, for any agent. */
  clear(sessionId: string): void;
  /** Forgets the note of a session that another gateway has now; it stays in the store. */
  forget(sessionId: string): void;
}

/**
 * Keeps the notes in memory and in `store`, and writes only changes: a turn that leaves the state unchanged writes no
 * row. A failed write is retried with the next `note`.
 */
export function createWorkNotes(store: Errands, log: Logger): WorkNotes {
  const agents = new Map<string, string>();

  const set = (sessionId: string, agent: string | undefined): void => {
    const before = agents.get(sessionId);
    if (before === agent) return;
    put(agents, sessionId, agent);
    store.note(sessionId, agent).catch((error) => {
      if (agents.get(sessionId) === agent) put(agents, sessionId, before);
      log.warn(`Background work of an agent was not noted: ${reasonOf(error)}`, {
        code: 'background-work-not-noted',
        session: sessionId,
      });
    });
  };
  return {
    async load(adopt) {
      try {
        for (const errand of await store.list())
          if (!agents.has(errand.sessionId) && (await adopt(errand)))
            agents.set(errand.sessionId, errand.agent);
      } catch (error) {
        log.error(
          `Notes of background work cannot be read, so that its agents are not started: ${reasonOf(error)}`,
          {
            code: 'background-work-unknown',
          },
        );
      }
    },
    get all() {
      return [...agents].map(([sessionId, agent]) => ({ sessionId, agent }));
    },
    hasAny: (sessionId) => agents.has(sessionId),
    has: ({ sessionId, agent }) => agents.get(sessionId) === agent,
    note({ sessionId, agent }, hasWork, shared) {
      if (shared) for (const [id, name] of agents) if (name === agent && id !== sessionId) set(id, undefined);
      if (hasWork) set(sessionId, agent);
      else if (agents.get(sessionId) === agent) set(sessionId, undefined);
    },
    clear: (sessionId) => set(sessionId, undefined),
    forget: (sessionId) => void agents.delete(sessionId),
  };
}

function put(agents: Map<string, string>, sessionId: string, agent: string | undefined): void {
  if (agent === undefined) agents.delete(sessionId);
  else agents.set(sessionId, agent);
}
