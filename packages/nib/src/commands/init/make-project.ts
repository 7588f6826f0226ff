import { mkdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Env } from '../../env.ts';
import { writeAtomic } from '../../files/atomic-write.ts';
import { NibError } from '../../nib-error.ts';
import { isAgentName } from '../../project/agent-setting.ts';
import { isStrictSlug } from '../../project/slug.ts';
import { chooseFilesToWrite, type OverwriteRule } from '../../scaffold/existing-files.ts';
import { createScaffoldFiles, DIRECTORIES } from '../../scaffold/scaffold-files.ts';
import { STYLES, type Style } from '../../scaffold/style-guide.ts';
import { ensureRepository, recordAgent } from './repository.ts';

/** A project that `makeProject` has created. */
export interface CreatedProject {
  readonly directory: string;
  readonly name: string;
  /** The backend of `--agent`; undefined for the default. */
  readonly agent: string | undefined;
}

/** The options of `nib init`. */
export interface InitOptions {
  readonly style: string | false;
  readonly git: boolean;
  readonly agent?: string;
  readonly force?: boolean;
  readonly skip?: boolean;
}

/**
 * Creates a project's directories, files and repository, and records its backend. All input is validated before the
 * first write.
 */
export async function makeProject(env: Env, name: string, options: InitOptions): Promise<CreatedProject> {
  const project = { ...resolvePlace(env.cwd, name), agent: parseAgent(options.agent) };
  const { directory } = project;
  const wanted = createScaffoldFiles(project.name, parseStyle(options.style));
  const files = await chooseFilesToWrite(env, directory, wanted, chooseOverwriteRule(options));
  for (const one of DIRECTORIES) mkdirSync(join(directory, one), { recursive: true });
  for (const { path, contents } of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeAtomic(join(directory, path), contents);
  }
  const hasGit = options.git && (await ensureRepository(env, directory));
  if (project.agent !== undefined) await recordAgent(env, directory, project.agent, hasGit);
  return project;
}

function resolvePlace(cwd: string, name: string): { directory: string; name: string } {
  const directory = resolve(cwd, name);
  if (name === '.' || name === '..') return { directory, name: basename(directory) };
  if (isStrictSlug(name)) return { directory, name };
  throw new NibError(
    `${JSON.stringify(name)} cannot name a project: use a to z, 0 to 9 and hyphens between words, or . for this directory.`,
  );
}

function parseStyle(style: string | false): Style | undefined {
  if (style === false) return undefined;
  const known = STYLES.find((one) => one === style);
  if (known === undefined) throw new NibError(`There is no style ${style}; choose ${STYLES.join(', ')}.`);
  return known;
}

function parseAgent(agent: string | undefined): string | undefined {
  if (agent === undefined || isAgentName(agent)) return agent;
  throw new NibError(`${JSON.stringify(agent)} cannot name a backend: it becomes part of nib-agent-NAME.`);
}

function chooseOverwriteRule({ force, skip }: InitOptions): OverwriteRule {
  if (force === true && skip === true) throw new NibError('--force and --skip exclude each other.');
  if (force === true) return 'replace';
  return skip === true ? 'skip' : 'ask';
}
