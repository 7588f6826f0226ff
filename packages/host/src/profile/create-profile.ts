import { join, resolve } from 'node:path';
import type { CommandSpec, Settings } from '@plugboard/protocol';
import type { CommonFields } from './fields.ts';
import type { Profile } from './profile.ts';

/**
 * The origin of a profile: relative paths are resolved against `directory`, and `name` stands in for a missing name.
 */
export interface Origin {
  /**
   * Absolute path of the file. Several profiles in one file have the suffix `#name`, which keeps their paths unique.
   */
  readonly file: string;
  readonly directory: string;
  /** Where an agent works whose profile does not say. */
  readonly workspace: string;
  readonly name: string;
  readonly home: string;
}

/** A profile of checked fields. */
export function createProfile(
  dialect: Profile['dialect'],
  settings: Settings,
  fields: CommonFields,
  origin: Origin,
  inherit: Profile['inherit'],
): Profile {
  // A `cwd` with a placeholder depends on the turn, so it cannot be the workspace.
  const cwd = settings.cwd?.includes('{{') ? undefined : settings.cwd;
  const workspace = expandHome(fields.workspace ?? cwd ?? origin.workspace, origin.home);
  return {
    name: fields.name ?? origin.name,
    identity: fields.name ?? origin.file,
    dialect,
    settings,
    inherit: fields.inherit === undefined ? inherit : fields.inherit ? 'all' : 'base',
    workspace: resolve(origin.directory, workspace),
    profileDir: origin.directory,
    ...(fields.media_roots === undefined
      ? {}
      : {
          mediaRoots: fields.media_roots.map((root) =>
            resolve(origin.directory, expandHome(root, origin.home)),
          ),
        }),
    ...(fields.prewarm === undefined ? {} : { prewarm: fields.prewarm }),
    ...(fields.line_bytes === undefined ? {} : { lineBytes: fields.line_bytes }),
    ...limitsOf(fields),
    ...approvalsOf(fields),
  };
}

function approvalsOf({ approvals }: CommonFields): Pick<Profile, 'approvals'> {
  if (approvals === undefined) return {};
  const { default: otherwise, rules, timeout_secs: timeoutSecs, approvers } = approvals;
  return {
    approvals: { default: otherwise, rules, timeoutSecs, ...(approvers === undefined ? {} : { approvers }) },
  };
}

/** Left out when empty, because a process with `limits` is started through a shell. */
function limitsOf({ limits }: CommonFields): Pick<Profile, 'limits'> {
  const { memory, processes } = limits ?? {};
  if (memory === undefined && processes === undefined) return {};
  return {
    limits: {
      ...(memory === undefined ? {} : { memoryBytes: memory }),
      ...(processes === undefined ? {} : { processes }),
    },
  };
}

/** The settings that all dialects share; fields that the profile left out keep the `defaults` of the dialect. */
export function commonSettings(
  fields: CommonFields,
  command: CommandSpec,
  defaults: Settings,
  origin: Origin,
) {
  return {
    command,
    env: fields.env,
    timeoutSecs: fields.timeout_secs ?? defaults.timeoutSecs,
    idleTimeoutSecs: fields.idle_timeout_secs ?? defaults.idleTimeoutSecs,
    killGraceSecs: fields.kill_grace_secs ?? defaults.killGraceSecs,
    ...(fields.cwd === undefined ? {} : { cwd: directoryOf(fields.cwd, origin) }),
  };
}

/** A `cwd` with a placeholder is resolved when its turn runs. */
function directoryOf(cwd: string, origin: Origin): string {
  return cwd.includes('{{') ? cwd : resolve(origin.directory, expandHome(cwd, origin.home));
}

/** Fields the profile left out keep their defaults. */
export function defined<T extends object>(fields: { [K in keyof T]?: T[K] | undefined }, defaults: T): T {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...defaults, ...(Object.fromEntries(given) as Partial<T>) };
}

function expandHome(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
