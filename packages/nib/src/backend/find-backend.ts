import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';
import { isAgentName } from '../project/agent-setting.ts';

/** The name of every backend's program begins with this. */
const PROGRAM_PREFIX = 'nib-agent-';

/** A path on the PATH, even if it cannot be executed. */
interface FoundPath {
  readonly path: string;
  readonly kind: 'program' | 'file' | 'directory';
}

/** A backend with an executable `nib-agent-NAME`. */
export interface InstalledBackend {
  readonly name: string;
  readonly path: string;
}

/** Finds `nib-agent-NAME` on the PATH; throws with the reason when it cannot be executed. */
export function findBackend(env: Env, name: string): InstalledBackend {
  const program = `${PROGRAM_PREFIX}${name}`;
  const found = findProgram(env, program);
  if (found?.kind === 'program') return { name, path: found.path };
  throw new NibError(`The backend ${name} cannot be used: ${explainUnusable(program, found)}`);
}

/** The path of an executable on the PATH; undefined if none exists. */
export function findProgramPath(env: Env, name: string): string | undefined {
  const found = findProgram(env, name);
  return found?.kind === 'program' ? found.path : undefined;
}

/** All backends on the PATH, sorted by name; of two with the same name, the first on the PATH. */
export function listInstalledBackends(env: Env): readonly InstalledBackend[] {
  const names = listPathFolders(env).flatMap((folder) => {
    return listNames(folder).filter((name) => name.startsWith(PROGRAM_PREFIX));
  });
  return [...new Set(names)].sort().flatMap((program) => {
    const path = findProgramPath(env, program);
    const name = program.slice(PROGRAM_PREFIX.length);
    return path === undefined || !isAgentName(name) ? [] : [{ name, path }];
  });
}

function findProgram(env: Env, name: string): FoundPath | undefined {
  let first: FoundPath | undefined;
  for (const folder of listPathFolders(env)) {
    const found = inspectPath(join(folder, name));
    if (found?.kind === 'program') return found;
    first ??= found;
  }
  return first;
}

/** A relative part of the PATH is resolved against `cwd`, where nib was called. */
function listPathFolders({ variables, cwd }: Env): readonly string[] {
  const path = variables.PATH ?? '';
  return path === '' ? [] : path.split(delimiter).map((part) => resolve(cwd, part));
}

function inspectPath(path: string): FoundPath | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return { path, kind: 'directory' };
  return { path, kind: stat.isFile() && isExecutable(path) ? 'program' : 'file' };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A PATH often names directories that do not exist.
    return [];
  }
}

function explainUnusable(program: string, found: FoundPath | undefined): string {
  if (found?.kind === 'directory') return `${found.path} is a directory, and a program is needed there.`;
  if (found?.kind === 'file') return `${found.path} is not executable. Allow it with chmod +x.`;
  return `there is no ${program} on the PATH. nib agents shows what there is; choose one with NIB_AGENT or git config nib.agent NAME.`;
}
