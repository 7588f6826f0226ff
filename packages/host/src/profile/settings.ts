import { join, resolve } from 'node:path';
import {
  agentproc,
  agentprocV4,
  type CommandSpec,
  nib,
  nuum,
  type Settings,
  terminal,
} from '@plugboard/protocol';
import { shellCommand, splitCommand, wholeCommand } from './command.ts';
import type { Profile } from './profile.ts';
import type {
  AgentprocFields,
  AgentprocV4Fields,
  NanobotFields,
  NibFields,
  NuumFields,
  TerminalFields,
} from './schema.ts';

/** Where a profile comes from: relative paths and a missing name are read against it. */
export interface Origin {
  /** The file itself, as an absolute path; for one profile of several in a file, with something that tells them apart. */
  readonly file: string;
  readonly directory: string;
  /** Where an agent works whose profile does not say. */
  readonly workspace: string;
  readonly name: string;
  readonly home: string;
}

type CommonFields = NibFields | NuumFields | AgentprocFields | AgentprocV4Fields | TerminalFields;

/** An AgentProc profile. Its command is split on white space: quotes mean nothing there. */
export function fromAgentproc(fields: AgentprocFields, origin: Origin): Profile {
  const settings = defined(
    {
      ...agentproc.defaults,
      ...commonSettings(fields, splitCommand(fields), agentproc.defaults, origin),
      stdin: fields.stdin,
      envAllowlist: fields.env_allowlist,
      maxReplyChars: fields.max_reply_chars,
      truncationSuffix: fields.truncation_suffix,
      includeStderrInReply: fields.include_stderr_in_reply,
      sendErrorReply: fields.send_error_reply,
      streaming: fields.streaming,
      sessionLinePrefix: fields.session_line_prefix,
    },
    agentproc.defaults,
  );
  return profileOf('agentproc', settings, fields, origin, 'base');
}

/** The newer AgentProc wire, whose command is one word. */
export function fromAgentprocV4(fields: AgentprocV4Fields, origin: Origin): Profile {
  const settings = defined(
    {
      ...agentprocV4.defaults,
      ...commonSettings(fields, wholeCommand(fields), agentprocV4.defaults, origin),
      streaming: fields.streaming,
      permission:
        fields.permission === true ? 'deny' : fields.permission === false ? 'off' : fields.permission,
      envAllowlist: fields.env_allowlist,
    },
    agentprocV4.defaults,
  );
  return profileOf('agentproc/v4', settings, fields, origin, 'base');
}

/** A terminal agent: a string is a line for the shell, a list is started as it is. */
export function fromTerminal(fields: TerminalFields, origin: Origin): Profile {
  const settings = defined(
    {
      ...terminal.defaults,
      ...commonSettings(fields, shellCommand(fields), terminal.defaults, origin),
      timeoutSecs: fields.timeout ?? fields.timeout_secs,
      protocol: fields.protocol,
      passMedia: fields.passMedia,
      providers: fields.providers,
      stderr: fields.stderr,
      detectMedia: fields.detect_media,
    },
    terminal.defaults,
  );
  return profileOf('terminal', settings, fields, origin, 'all');
}

/** The `terminal` block of a nanobot configuration, with the workspace that file names. */
export function fromNanobot(file: NanobotFields, origin: Origin): Profile {
  const { allowInjection: _injection, revealErrors: _reveal, ...block } = file.terminal;
  const workspace = file.agents?.defaults?.workspace;
  return fromTerminal(
    { dialect: 'terminal', args: [], ...block, ...(workspace === undefined ? {} : { workspace }) },
    origin,
  );
}

export function fromNib(fields: NibFields, origin: Origin): Profile {
  const settings = { ...nib.defaults, ...commonSettings(fields, splitCommand(fields), nib.defaults, origin) };
  return profileOf('nib', settings, fields, origin, 'all');
}

export function fromNuum(fields: NuumFields, origin: Origin): Profile {
  const settings = {
    ...nuum.defaults,
    ...commonSettings(fields, splitCommand(fields), nuum.defaults, origin),
  };
  return profileOf('nuum', settings, fields, origin, 'base');
}

function profileOf(
  dialect: Profile['dialect'],
  settings: Settings,
  fields: CommonFields,
  origin: Origin,
  inherit: Profile['inherit'],
): Profile {
  // A working directory that depends on the turn cannot be the place the agent works in at all times.
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
  };
}

/** Without a limit the field is left out: a process with it is started by a shell. */
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

function commonSettings(fields: CommonFields, command: CommandSpec, defaults: Settings, origin: Origin) {
  return {
    command,
    env: fields.env,
    timeoutSecs: fields.timeout_secs ?? defaults.timeoutSecs,
    idleTimeoutSecs: fields.idle_timeout_secs ?? defaults.idleTimeoutSecs,
    killGraceSecs: fields.kill_grace_secs ?? defaults.killGraceSecs,
    ...(fields.cwd === undefined ? {} : { cwd: directoryOf(fields.cwd, origin) }),
  };
}

/** A directory that a turn fills in is resolved when that turn runs. */
function directoryOf(cwd: string, origin: Origin): string {
  return cwd.includes('{{') ? cwd : resolve(origin.directory, expandHome(cwd, origin.home));
}

/** Fields the profile left out keep their defaults. */
function defined<T extends object>(fields: { [K in keyof T]?: T[K] | undefined }, defaults: T): T {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...defaults, ...(Object.fromEntries(given) as Partial<T>) };
}

function expandHome(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}
