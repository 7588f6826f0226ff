import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Event, Turn } from '@plugboard/protocol';

/** Remembers which id an agent gave to which of our sessions. */
export interface SessionMemory {
  get(agent: string, key: string): string | undefined;
  set(agent: string, key: string, agentId: string): void;
  forget(agent: string, key: string): void;
}

type Stored = Record<string, Record<string, string>>;

/**
 * A memory in one small file, read and replaced whole at each change, so that two programs that share it do not
 * undo each other's work except for the same session.
 */
export function fileMemory(path: string): SessionMemory {
  const change = (act: (stored: Stored) => void): void => {
    const stored = load(path);
    act(stored);
    save(path, stored);
  };
  return {
    get: (agent, key) => own(own(load(path), agent) ?? {}, key),
    set: (agent, key, agentId) =>
      change((stored) => {
        stored[agent] = { ...own(stored, agent), [key]: agentId };
      }),
    forget: (agent, key) =>
      change((stored) => {
        delete own(stored, agent)?.[key];
      }),
  };
}

/** The turn with the id the agent gave to this session before, unless the caller knows one. */
export function recall(memory: SessionMemory | undefined, agent: string, turn: Turn): Turn {
  if (memory === undefined || turn.session.agentId !== undefined) return turn;
  const agentId = memory.get(agent, turn.session.key);
  return agentId === undefined ? turn : { ...turn, session: { ...turn.session, agentId } };
}

/** Keeps the ids that come by, for the next turn of the same session. */
export function remember(memory: SessionMemory, agent: string, turn: Turn, events: readonly Event[]): void {
  for (const event of events) {
    if (event.type === 'session' && event.id !== turn.session.agentId)
      memory.set(agent, turn.session.key, event.id);
  }
}

function own<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function load(path: string): Stored {
  try {
    const stored: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof stored === 'object' && stored !== null ? (stored as Stored) : {};
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new Error(`Cannot read the session memory ${path}: remove or repair the file.`, { cause: error });
  }
}

/** Written beside and moved into place: a crash or a full disk leaves the old file as it was. */
function save(path: string, stored: Stored): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(next, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}
