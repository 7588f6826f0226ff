import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import { BackendError } from '../failure.ts';
import { readIfThere, writePrivate } from '../private-file.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Under which id `claude` has each conversation. It keeps conversations itself and has no way to begin one anew under the
 * same id, so that each new beginning gets an id of its own, and only that is remembered here.
 */
export interface ClaudeSessions {
  /** The id of the latest conversation. */
  current(root: string, id: string): string;
  /** Remembers another; undefined goes back to the first. */
  set(root: string, id: string, claudeId: string | undefined): void;
  /** The id that was remembered, if any. */
  remembered(root: string, id: string): string | undefined;
}

export function claudeSessions(state: string): ClaudeSessions {
  const file = join(state, 'claude-sessions.json');
  const remembered = (root: string, id: string): string | undefined => {
    const found = load(file)[nameOf(root, id)];
    return typeof found === 'string' ? found : undefined;
  };
  return {
    remembered,
    current: (root, id) => remembered(root, id) ?? uuidFor(root, id),
    set(root, id, claudeId) {
      const sessions = { ...load(file), [nameOf(root, id)]: claudeId };
      writePrivate(file, `${JSON.stringify({ version: 1, sessions }, undefined, 1)}\n`);
    },
  };
}

/** The project is part of the name: two books may give two characters the same id. */
function nameOf(root: string, id: string): string {
  return `${root}#${id}`;
}

function load(file: string): JsonObject {
  const text = readIfThere(file);
  if (text === undefined) return {};
  const parsed = parseJson(text);
  if (parsed.ok && isObject(parsed.value) && isObject(parsed.value.sessions)) return parsed.value.sessions;
  throw new BackendError(
    'bad-state',
    `${file} cannot be read. Move it away; only the ids of conversations are in it.`,
  );
}

/** `claude` takes no id but a UUID. Hosts send one as a rule; for any other, one is derived that is always the same. */
function uuidFor(root: string, id: string): string {
  if (UUID.test(id)) return id.toLowerCase();
  const hex = createHash('sha256').update(nameOf(root, id)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
