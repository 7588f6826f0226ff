import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomic } from '../files/atomic-write.ts';
import { readIfThere } from '../files/read-file.ts';
import { NibError } from '../nib-error.ts';

/** Whether `name` can name a backend: it becomes part of a program's name, and must not contain a path. */
export function isAgentName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

/** The backend in `.nib/config.json`, which a project without git uses. */
export function readAgentSetting(root: string): string | undefined {
  const { agent } = readConfig(root);
  return typeof agent === 'string' && agent !== '' ? agent : undefined;
}

/** Writes the backend of a project to `.nib/config.json`. */
export function writeAgentSetting(root: string, agent: string): void {
  const file = getConfigPath(root);
  mkdirSync(dirname(file), { recursive: true });
  writeAtomic(file, `${JSON.stringify({ ...readConfig(root), agent }, undefined, 2)}\n`);
}

function readConfig(root: string): Record<string, unknown> {
  const file = getConfigPath(root);
  try {
    const value: unknown = JSON.parse(readIfThere(file) ?? '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (error instanceof NibError) throw error;
  }
  throw new NibError(`${file} is not a JSON object. Mend it, or delete it to start over.`);
}

function getConfigPath(root: string): string {
  return join(root, '.nib', 'config.json');
}
