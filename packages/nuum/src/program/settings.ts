import { existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { LIMITS, type Limits } from '../agent/limits.ts';
import type { ModelSettings } from '../model/choose.ts';
import type { PolicyOptions } from '../policy/policy.ts';
import { type Options, UsageError } from './args.ts';
import { type ConfigFile, readConfig } from './config.ts';

export interface Settings {
  readonly db: string;
  readonly directory: string;
  readonly home: string;
  readonly model: ModelSettings;
  readonly policy: PolicyOptions;
  readonly allowHosts: readonly string[];
  readonly servers: Readonly<Record<string, unknown>>;
  readonly limits: Limits;
}

export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
}

const DEFAULT_MODEL = 'claude-sonnet-4-5';

/** The command line wins over the environment, and that over the configuration file. */
export async function readSettings(options: Options, around: Surroundings): Promise<Settings> {
  const { environment, cwd, home } = around;
  const config = await loadConfig(options, around);
  const directory = resolve(cwd, options.directory ?? '.');
  if (!isDirectory(directory)) throw new UsageError(`There is no directory ${directory} to work in.`);
  return {
    db: dbOf(options, config, around),
    directory,
    home,
    model: modelOf(options, config, environment),
    policy: {
      allow: [...config.allow, ...options.allow],
      ask: [...config.ask, ...options.ask],
      deny: [...config.deny, ...options.deny],
      home,
    },
    allowHosts: [...config.allowHosts, ...options.allowHosts],
    servers: config.servers,
    limits: limitsOf(config),
  };
}

async function loadConfig(
  { config }: Options,
  { environment, cwd, home }: Surroundings,
): Promise<ConfigFile> {
  const usual = join(placeOf(environment.XDG_CONFIG_HOME, join(home, '.config')), 'nuum', 'config.yaml');
  const file = config === undefined ? usual : resolve(cwd, config);
  if (!existsSync(file)) {
    if (config === undefined) return readConfig({}, file);
    throw new UsageError(`There is no configuration ${file}.`);
  }
  // Loading `yaml` costs time that processes without a configuration file save.
  const { parse } = await import('yaml');
  try {
    return readConfig(parse(readFileSync(file, 'utf8')), file);
  } catch (error) {
    throw new UsageError(`The configuration ${file} cannot be read: ${(error as Error).message}`);
  }
}

function dbOf(options: Options, config: ConfigFile, { environment, cwd, home }: Surroundings): string {
  const named = options.db ?? environment.NUUM_DB ?? config.db;
  if (named !== undefined && named !== '') return resolve(cwd, named);
  const here = join(cwd, 'agent.db');
  if (existsSync(here)) return here;
  return join(placeOf(environment.XDG_DATA_HOME, join(home, '.local', 'share')), 'nuum', 'agent.db');
}

/** The XDG specification ignores relative paths. */
export function placeOf(given: string | undefined, usual: string): string {
  return given !== undefined && isAbsolute(given) ? given : usual;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function modelOf(
  options: Options,
  config: ConfigFile,
  environment: Surroundings['environment'],
): ModelSettings {
  const model = options.model ?? (environment.NUUM_MODEL || undefined) ?? config.model ?? DEFAULT_MODEL;
  const baseUrl = environment.NUUM_BASE_URL || config.baseUrl;
  if (baseUrl !== undefined && !URL.canParse(baseUrl))
    throw new UsageError(`NUUM_BASE_URL must be an address, not ${JSON.stringify(baseUrl)}.`);
  const openai =
    model.startsWith('openai:') || (baseUrl !== undefined && !/^(anthropic:|claude)/.test(model));
  const own = openai ? environment.OPENAI_API_KEY : environment.ANTHROPIC_API_KEY;
  const apiKey = environment.NUUM_API_KEY || config.apiKey || own || undefined;
  return {
    model,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
  };
}

function limitsOf({ limits: { view, room, steps, tokens, seconds, tasks } }: ConfigFile): Limits {
  const { budget } = LIMITS;
  return {
    ...LIMITS,
    view: view ?? LIMITS.view,
    room: room ?? LIMITS.room,
    tasksAtOnce: tasks ?? LIMITS.tasksAtOnce,
    budget: {
      steps: steps ?? budget.steps,
      tokens: tokens ?? budget.tokens,
      ms: seconds === undefined ? budget.ms : seconds * 1000,
    },
  };
}
