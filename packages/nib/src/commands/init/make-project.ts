import { mkdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Env } from '../../env.ts';
import { NibError } from '../../failure.ts';
import { writeAtomic } from '../../files/atomic.ts';
import { isAgentName } from '../../project/agent-setting.ts';
import { isStrictSlug } from '../../project/slug.ts';
import { filesToWrite, type Standing } from '../../scaffold/existing.ts';
import { DIRECTORIES, scaffoldFiles } from '../../scaffold/files.ts';
import { STYLES, type Style } from '../../scaffold/style.ts';
import { ensureRepository, recordAgent } from './repository.ts';

/** A project that has just been made. */
export interface Scaffolded {
  readonly directory: string;
  readonly name: string;
  /** The backend that was asked for; undefined when the usual one is meant. */
  readonly agent: string | undefined;
}

/** What the person said on the command line. */
export interface InitOptions {
  readonly style: string | false;
  readonly git: boolean;
  readonly agent?: string;
  readonly force?: boolean;
  readonly skip?: boolean;
}

/** Makes a project's directories and files, its repository, and notes its backend. All input is checked before anything is written. */
export async function makeProject(env: Env, name: string, options: InitOptions): Promise<Scaffolded> {
  const project = { ...placeOf(env.cwd, name), agent: agentOf(options.agent) };
  const { directory } = project;
  const wanted = scaffoldFiles(project.name, styleOf(options.style));
  const files = await filesToWrite(env, directory, wanted, standingOf(options));
  for (const one of DIRECTORIES) mkdirSync(join(directory, one), { recursive: true });
  for (const { path, contents } of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeAtomic(join(directory, path), contents);
  }
  const hasGit = options.git && (await ensureRepository(env, directory));
  if (project.agent !== undefined) await recordAgent(env, directory, project.agent, hasGit);
  return project;
}

function placeOf(cwd: string, name: string): { directory: string; name: string } {
  const directory = resolve(cwd, name);
  if (name === '.' || name === '..') return { directory, name: basename(directory) };
  if (isStrictSlug(name)) return { directory, name };
  throw new NibError(
    `${JSON.stringify(name)} cannot name a project: use a to z, 0 to 9 and hyphens between words, or . for this directory.`,
  );
}

function styleOf(style: string | false): Style | undefined {
  if (style === false) return undefined;
  const known = STYLES.find((one) => one === style);
  if (known === undefined) throw new NibError(`There is no style ${style}; choose ${STYLES.join(', ')}.`);
  return known;
}

function agentOf(agent: string | undefined): string | undefined {
  if (agent === undefined || isAgentName(agent)) return agent;
  throw new NibError(`${JSON.stringify(agent)} cannot name a backend: it becomes part of nib-agent-NAME.`);
}

function standingOf({ force, skip }: InitOptions): Standing {
  if (force === true && skip === true) throw new NibError('--force and --skip exclude each other.');
  if (force === true) return 'replace';
  return skip === true ? 'skip' : 'ask';
}
