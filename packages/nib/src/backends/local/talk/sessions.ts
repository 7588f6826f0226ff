import { createHash } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import { BackendError } from '../../failure.ts';
import { readIfThere, writePrivate } from '../../private-file.ts';

/** A message of a conversation: text alone, without tool calls. */
export interface TalkMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** The file of a conversation. Its path contains the project: two books may give two characters the same id. */
export function getSessionPath(state: string, root: string, id: string): string {
  const project = hashText(root);
  const name = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(id) ? id : `id-${hashText(id)}`;
  return join(state, 'sessions', project, `${name}.json`);
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** The messages of a conversation; undefined when it does not exist. */
export function loadSession(file: string): readonly TalkMessage[] | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const parsed = parseJson(text);
  const said = parsed.ok && isObject(parsed.value) ? parsed.value.said : undefined;
  if (Array.isArray(said) && said.every(isTalkMessage)) return said;
  throw new BackendError(
    'bad-session',
    `The conversation in ${file} cannot be read. Move the file away to start anew.`,
  );
}

function isTalkMessage(value: unknown): value is JsonObject & TalkMessage {
  return (
    isObject(value) && (value.role === 'user' || value.role === 'assistant') && typeof value.text === 'string'
  );
}

/** Writes the messages of a conversation. */
export function saveSession(file: string, root: string, said: readonly TalkMessage[]): void {
  writePrivate(file, `${JSON.stringify({ version: 1, project: root, said }, undefined, 1)}\n`);
}

/** Renames an earlier conversation with the same id; returns its new path, undefined without one. */
export function moveAside(file: string, now: number): string | undefined {
  if (!existsSync(file)) return undefined;
  const stamp = new Date(now).toISOString().replaceAll(':', '-');
  const aside = file.replace(/\.json$/, `.${stamp}.json`);
  renameSync(file, aside);
  return aside;
}
