import { randomBytes } from 'node:crypto';
import { type OpenOptions, openDatabase } from '../database/open.ts';
import { getPresent, setPresent } from './agent/present.ts';
import { knownSessionOf, sessionOf } from './agent/session.ts';
import { createSettings } from './agent/settings.ts';
import { createKnowledge } from './knowledge/knowledge.ts';
import { standingOf } from './knowledge/standing.ts';
import type { Memory } from './memory.ts';
import { createMessages } from './messages/messages.ts';
import { createSearch } from './search/search.ts';
import { createSummaries } from './summaries/summaries.ts';
import { createUlid } from './ulid.ts';

export interface MemoryOptions extends OpenOptions {
  /** Random bytes for the id of a new session; `randomBytes` of Node by default. */
  readonly random?: (bytes: number) => Uint8Array;
}

/**
 * Opens a memory, making the file when there is none. Throws a `MemoryError` when it cannot be opened. With `readOnly`,
 * another process may be writing to it, and every write is refused.
 */
export function openMemory(file: string, options: MemoryOptions): Memory {
  const { connection, ensureThere, close } = openDatabase(file, options);
  const now = (): number => Math.trunc(options.now());
  try {
    const make = (): string => `nuum_${createUlid(now(), options.random ?? randomBytes)}`;
    const session = options.readOnly ? knownSessionOf(connection) : sessionOf(connection, now(), make);
    return {
      file: connection.file,
      session,
      messages: createMessages(connection, now),
      present: { get: () => getPresent(connection), set: (change) => setPresent(connection, change) },
      settings: createSettings(connection),
      summaries: createSummaries(connection, now),
      knowledge: createKnowledge(connection, now),
      search: createSearch(connection),
      connection,
      now,
      standing: () => standingOf(connection),
      ensureThere,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
