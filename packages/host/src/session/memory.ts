import { createHash } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Capabilities, Event, Failure, Log, Turn } from '@plugboard/protocol';
import { isObject, reasonOf } from '@plugboard/protocol';
import { makeDirectory } from '../directory.ts';

/** Stores the id that an agent gave to a session key. */
export interface SessionMemory {
  get(agent: string, key: string): string | undefined;
  set(agent: string, key: string, agentId: string): void;
  forget(agent: string, key: string): void;
  /**
   * Notes that the agent session `agentId` belongs to the session key `key`, unless another key owns it. Returns the
   * owning key. Of two processes that claim it at the same time, the first wins.
   */
  claim(agent: string, agentId: string, key: string): string;
}

/** Remembers for as long as this program runs. */
export function shortMemory(): SessionMemory {
  const ids = new Map<string, string>();
  const owners = new Map<string, string>();
  return {
    get: (agent, key) => ids.get(nameOf(agent, key)),
    set: (agent, key, agentId) => void ids.set(nameOf(agent, key), agentId),
    forget: (agent, key) => void ids.delete(nameOf(agent, key)),
    claim(agent, agentId, key) {
      const name = nameOf(agent, agentId);
      if (!owners.has(name)) owners.set(name, key);
      return owners.get(name) ?? key;
    },
  };
}

/**
 * Stores each session in its own small file: programs can share the directory without locks, and the time of an access
 * does not grow with the number of sessions.
 */
export function fileMemory(directory: string): SessionMemory {
  const place = (agent: string, key: string): string => join(directory, `${nameOf(agent, key)}.json`);
  return {
    get: (agent, key) => load(place(agent, key)),
    set: (agent, key, agentId) => save(place(agent, key), { agent, key, agentId }),
    forget: (agent, key) => rmSync(place(agent, key), { force: true }),
    claim(agent, agentId, key) {
      const path = join(directory, `${nameOf(agent, agentId)}.owner.json`);
      claimFile(path, { agent, agentId, key });
      return load(path, 'key') ?? key;
    },
  };
}

/** Session ids of the turns of one agent. */
export interface TurnMemory {
  /** Sets `agentId` to the id that the agent gave to this session before; a `Failure` when it cannot be read. */
  recall(turn: Turn): Turn | Failure;
  /** Stores the ids of `session` events. Returns a log event when that fails. */
  remember(turn: Turn | undefined, events: readonly Event[]): Log | undefined;
}

/** Only an agent with `session: 'both'` can be given its id again. */
export function createTurnMemory(
  lasting: SessionMemory | undefined,
  { identity }: { readonly identity: string },
  { session }: Pick<Capabilities, 'session'>,
): TurnMemory {
  const memoryFor = session === 'both' ? memoriesByTurn(lasting) : () => undefined;
  return {
    recall: (turn) => recall(memoryFor(turn), identity, turn),
    remember: (turn, events) =>
      turn === undefined ? undefined : remember(memoryFor(turn), identity, turn, events),
  };
}

/** The memory that a turn may use: `lasting` only for a session that outlives this program. */
function memoriesByTurn(lasting: SessionMemory | undefined): (turn: Turn) => SessionMemory | undefined {
  const short = shortMemory();
  return ({ session: { lasts } }) => {
    if (lasts === 'turn') return undefined;
    return lasts === 'process' ? short : lasting;
  };
}

/**
 * Sets `agentId` to the id that the agent gave to this session before, unless the caller has set it. Returns a
 * `Failure` when the memory cannot be read.
 */
export function recall(memory: SessionMemory | undefined, agent: string, turn: Turn): Turn | Failure {
  if (memory === undefined || turn.session.agentId !== undefined) return turn;
  try {
    const agentId = memory.get(agent, turn.session.key);
    return agentId === undefined ? turn : { ...turn, session: { ...turn.session, agentId } };
  } catch (error) {
    return { code: 'session-memory', message: reasonOf(error) };
  }
}

/** Stores the ids of `session` events for the next turn of the same session. Returns a log event when that fails. */
export function remember(
  memory: SessionMemory | undefined,
  agent: string,
  turn: Turn,
  events: readonly Event[],
): Log | undefined {
  if (memory === undefined) return undefined;
  try {
    for (const event of events) {
      if (event.type !== 'session') continue;
      const { key } = turn.session;
      // Compares with `memory`, not with the id that the turn began with: a concurrent turn may have stored another id,
      // and the last id counts.
      if (memory.get(agent, key) !== event.id) memory.set(agent, key, event.id);
    }
    return undefined;
  } catch (error) {
    const why = reasonOf(error);
    return {
      type: 'log',
      level: 'error',
      text: `The session will not be remembered: ${why}`,
      source: 'host',
    };
  }
}

/** A safe file name that no two sessions share. */
function nameOf(agent: string, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([agent, key]))
    .digest('hex');
}

function load(path: string, field: 'agentId' | 'key' = 'agentId'): string | undefined {
  try {
    const stored: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const known = isObject(stored) ? stored[field] : undefined;
    if (typeof known === 'string') return known;
    throw new Error('It holds no session id.');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`Cannot read the session memory ${path}: remove or repair the file.`, { cause: error });
  }
}

interface Stored {
  readonly agent: string;
  readonly key: string;
  readonly agentId: string;
}

/** Writes a temporary file, and `renameSync` replaces the old: a crash or a full disk leaves the old file intact. */
function save(path: string, session: Stored): void {
  writeBeside(path, session, (next) => renameSync(next, path));
}

/** `link` fails where the file exists, so that the first process to claim it stays the owner. */
function claimFile(path: string, session: Stored): void {
  if (existsSync(path)) return;
  writeBeside(path, session, (next) => {
    try {
      linkSync(next, path);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    rmSync(next, { force: true });
  });
}

function writeBeside(path: string, session: Stored, place: (next: string) => void): void {
  makeDirectory(dirname(path));
  const next = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(next, `${JSON.stringify(session)}\n`, { mode: 0o600, flush: true });
    place(next);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}
