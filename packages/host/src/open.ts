import type { Spawner } from '@plugboard/process';
import {
  type DialectName,
  dialects,
  type LaunchContext,
  type OneShotHost,
  type ResidentHost,
  type Settings,
} from '@plugboard/protocol';
import type { OpenAgent } from './agent.ts';
import type { MediaPolicy } from './media/access.ts';
import { openOneShot } from './one-shot/agent.ts';
import type { Profile } from './profile/profile.ts';
import type { Recorder } from './record/recorder.ts';
import { openResident } from './resident/agent.ts';
import type { SessionMemory } from './session/memory.ts';

/** What an agent is opened with beside its profile. */
export interface OpenOptions {
  /** The variables of the host, as they are now; a profile decides which of them its agent sees. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where request files go. */
  readonly temporary?: string;
  /** Writes down every byte of every turn. */
  readonly recorder?: Recorder;
  /** Keeps the agent's own session ids from one turn to the next. */
  readonly memory?: SessionMemory;
  /**
   * Fills `{session}` in the command and the variables of a resident agent with the session key of its first turn, as a
   * file name; turns of other sessions are then refused.
   */
  readonly fillSession?: boolean;
  /** Which files of the agent are passed on; those below its workspace and `media_roots` when absent. */
  readonly media?: MediaPolicy;
  /** Starts the processes; without one they are started directly. Whoever opened it closes it. */
  readonly spawner?: Spawner;
}

/** Opens an agent. One-shot agents start a process for each turn; resident ones start with the first turn. */
export function open(profile: Profile, given: OpenOptions): OpenAgent {
  if (given?.environment === undefined) {
    throw new TypeError(
      'open(profile, { environment }) needs the variables of the host, which a profile chooses from.',
    );
  }
  const { host } = dialects[profile.dialect];
  // A copy: every look at `process.env` asks the system, which would be a measurable part of each short turn.
  const options = { ...given, environment: { ...given.environment } };
  const context = launchContext(profile, options);
  return host.resident
    ? openResident(profile, host as ResidentHost<Settings, unknown>, context, options)
    : openOneShot(profile, host as OneShotHost<Settings, unknown>, context, options);
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
