import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import { BackendError } from '../failure.ts';
import { readIfThere, writePrivate } from '../private-file.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Maps a conversation to its session id in `claude`, which stores the conversation itself. `claude` cannot start a new
 * conversation under a used id, so each restart gets a new id, and only that is stored here.
 */
export interface ClaudeSessions {
  /** The id of the latest conversation. */
  current(root: string, id: string): string;
  /** Stores another id; undefined restores the first. */
  set(root: string, id: string, claudeId: string | undefined): void;
  /** The stored id; undefined before the first restart. */
  remembered(root: string, id: string): string | undefined;
}

export function createClaudeSessions(state: string): ClaudeSessions {
  const file = join(state, 'claude-sessions.json');
  const remembered = (root: string, id: string): string | undefined => {
    const found = loadIds(file)[createKey(root, id)];
    return typeof found === 'string' ? found : undefined;
  };
  return {
    remembered,
    current: (root, id) => remembered(root, id) ?? deriveUuid(root, id),
    set(root, id, claudeId) {
      const sessions = { ...loadIds(file), [createKey(root, id)]: claudeId };
      writePrivate(file, `${JSON.stringify({ version: 1, sessions }, undefined, 1)}\n`);
    },
  };
}

/** The key contains `root`: two books may give two characters the same id. */
function createKey(root: string, id: string): string {
  return `${root}#${id}`;
}

function loadIds(file: string): JsonObject {
  const text = readIfThere(file);
  if (text === undefined) return {};
  const parsed = parseJson(text);
  if (parsed.ok && isObject(parsed.value) && isObject(parsed.value.sessions)) return parsed.value.sessions;
  throw new BackendError(
    'bad-state',
    `${file} cannot be read. Move it away; only the ids of conversations are in it.`,
  );
}

/**
 * `claude` accepts only UUIDs. Hosts usually send one; any other id is hashed, so that it always gives the same UUID.
 */
function deriveUuid(root: string, id: string): string {
  if (UUID.test(id)) return id.toLowerCase();
  const hex = createHash('sha256').update(createKey(root, id)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
