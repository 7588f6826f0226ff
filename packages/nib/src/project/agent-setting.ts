import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NibError } from '../failure.ts';
import { writeAtomic } from '../files/atomic.ts';
import { readIfThere } from '../files/read.ts';

/** Whether this can name a backend: it becomes part of a program's name, and must not become a path. */
export function isAgentName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

/** The backend that a project without git has written down, if any. */
export function agentInProject(root: string): string | undefined {
  const { agent } = readConfig(root);
  return typeof agent === 'string' && agent !== '' ? agent : undefined;
}

/** Writes down the backend of a project in the project itself. */
export function writeAgent(root: string, agent: string): void {
  const file = configFile(root);
  mkdirSync(dirname(file), { recursive: true });
  writeAtomic(file, `${JSON.stringify({ ...readConfig(root), agent }, undefined, 2)}\n`);
}

function readConfig(root: string): Record<string, unknown> {
  const file = configFile(root);
  try {
    const value: unknown = JSON.parse(readIfThere(file) ?? '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (error instanceof NibError) throw error;
  }
  throw new NibError(`${file} is not a JSON object. Mend it, or delete it to start over.`);
}

function configFile(root: string): string {
  return join(root, '.nib', 'config.json');
}
