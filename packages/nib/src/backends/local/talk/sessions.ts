import { createHash } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from '@plugboard/protocol';
import { BackendError } from '../../failure.ts';
import { readIfThere, writePrivate } from '../../private-file.ts';
import type { Said } from '../model/said.ts';

/** What was said in a conversation: words alone, without what was done in between. */
export type Spoken = Extract<Said, { role: 'user' | 'assistant' }>;

/** The file of a conversation. The project is part of it: two books may give two characters the same id. */
export function sessionFile(state: string, root: string, id: string): string {
  const project = hash(root);
  const name = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(id) ? id : `id-${hash(id)}`;
  return join(state, 'sessions', project, `${name}.json`);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** What was said so far, or undefined when there is no such conversation. */
export function loadSession(file: string): readonly Spoken[] | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const parsed = parseJson(text);
  const said = parsed.ok && isObject(parsed.value) ? parsed.value.said : undefined;
  if (Array.isArray(said) && said.every(isSpoken)) return said;
  throw new BackendError(
    'bad-session',
    `The conversation in ${file} cannot be read. Move the file away to start anew.`,
  );
}

function isSpoken(value: unknown): value is Spoken {
  return (
    isObject(value) && (value.role === 'user' || value.role === 'assistant') && typeof value.text === 'string'
  );
}

/** Keeps what was said so far. */
export function saveSession(file: string, root: string, said: readonly Spoken[]): void {
  writePrivate(file, `${JSON.stringify({ version: 1, project: root, said }, undefined, 1)}\n`);
}

/** Puts an earlier conversation of the same name aside; where it lies now, or undefined when there was none. */
export function setAside(file: string, now: number): string | undefined {
  if (!existsSync(file)) return undefined;
  const stamp = new Date(now).toISOString().replaceAll(':', '-');
  const aside = file.replace(/\.json$/, `.${stamp}.json`);
  renameSync(file, aside);
  return aside;
}
