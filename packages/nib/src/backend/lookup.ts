import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { isAgentName } from '../project/agent-setting.ts';

/** Every backend's program begins with this. */
const PREFIX = 'nib-agent-';

/** A program on the PATH, or something in its place that cannot be run. */
interface Found {
  readonly path: string;
  readonly kind: 'program' | 'file' | 'directory';
}

/** A backend whose program can be run. */
export interface InstalledBackend {
  readonly name: string;
  readonly path: string;
}

/** The program of a backend; says what stands in its place when it cannot be run. */
export function findBackend(env: Env, name: string): InstalledBackend {
  const program = `${PREFIX}${name}`;
  const found = findProgram(env, program);
  if (found?.kind === 'program') return { name, path: found.path };
  throw new NibError(`The backend ${name} cannot be used: ${whyNot(program, found)}`);
}

/** The path of a program on the PATH, if it is there and can be run. */
export function programPath(env: Env, name: string): string | undefined {
  const found = findProgram(env, name);
  return found?.kind === 'program' ? found.path : undefined;
}

/** All backends on the PATH by name; of two with the same name, the one that would be run. */
export function installedBackends(env: Env): readonly InstalledBackend[] {
  const names = folders(env).flatMap((folder) => {
    return namesIn(folder).filter((name) => name.startsWith(PREFIX));
  });
  return [...new Set(names)].sort().flatMap((program) => {
    const path = programPath(env, program);
    const name = program.slice(PREFIX.length);
    return path === undefined || !isAgentName(name) ? [] : [{ name, path }];
  });
}

function findProgram(env: Env, name: string): Found | undefined {
  let first: Found | undefined;
  for (const folder of folders(env)) {
    const found = look(join(folder, name));
    if (found?.kind === 'program') return found;
    first ??= found;
  }
  return first;
}

/** A part of the PATH that is not absolute is meant from where nib was called. */
function folders({ variables, cwd }: Env): readonly string[] {
  const path = variables.PATH ?? '';
  return path === '' ? [] : path.split(delimiter).map((part) => resolve(cwd, part));
}

function look(path: string): Found | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return { path, kind: 'directory' };
  return { path, kind: stat.isFile() && mayRun(path) ? 'program' : 'file' };
}

function mayRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The PATH of many people names directories that are not there.
    return [];
  }
}

function whyNot(program: string, found: Found | undefined): string {
  if (found?.kind === 'directory') return `${found.path} is a directory, and a program is needed there.`;
  if (found?.kind === 'file') return `${found.path} is not executable. Allow it with chmod +x.`;
  return `there is no ${program} on the PATH. nib agents shows what there is; choose one with NIB_AGENT or git config nib.agent NAME.`;
}
