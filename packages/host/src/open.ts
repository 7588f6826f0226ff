import {
  type DialectName,
  dialects,
  type HostSide,
  type LaunchContext,
  type Settings,
} from '@plugboard/protocol';
import type { OpenAgent } from './agent.ts';
import { openOneShot } from './one-shot/agent.ts';
import type { OpenOptions } from './open-options.ts';
import type { Profile } from './profile/profile.ts';
import { openResident } from './resident/agent.ts';
import { type AgentStream, createStream } from './resident/stream.ts';

/**
 * Opens an agent. A `per-turn` dialect starts a process for each turn; a `per-session` dialect starts its process with
 * the first turn.
 */
export function open(profile: Profile, given: OpenOptions): OpenAgent {
  const { host, context, options } = prepare(profile, given);
  return host.process === 'per-session'
    ? openResident(profile, host, context, options)
    : openOneShot(profile, host, context, options);
}

/**
 * Opens an agent of a `per-session` dialect as one ordered stream of what it does. The caller fills `{session}` in the
 * profile and reads `effects` until `close`.
 */
export function openStream(profile: Profile, given: OpenOptions): AgentStream {
  const { host, context, options } = prepare(profile, given);
  if (host.process !== 'per-session')
    throw new TypeError(`${profile.name} has a process for each turn: use open(profile) and its runs.`);
  return createStream(profile, host, context, options);
}

function prepare(
  profile: Profile,
  given: OpenOptions,
): { host: HostSide<Settings, unknown>; context: LaunchContext; options: OpenOptions } {
  if (given?.environment === undefined) {
    throw new TypeError(
      'open(profile, { environment }) needs the variables of the host, which a profile chooses from.',
    );
  }
  // A copy: every look at `process.env` asks the system, which would be a measurable part of each short turn.
  const options = { ...given, environment: { ...given.environment } };
  // Each dialect takes its own settings, which are those of its profiles.
  const host = dialects[profile.dialect].host as HostSide<Settings, unknown>;
  return { host, context: launchContext(profile, options), options };
}

function launchContext(profile: Profile, options: OpenOptions): LaunchContext {
  return {
    environment: options.environment,
    workspace: profile.workspace,
    ...(profile.profileDir === undefined ? {} : { profileDir: profile.profileDir }),
  };
}

/** Whether a word names a dialect. */
export function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(dialects, name);
}
