import { type Child, spawn } from '@plugboard/process';
import type { Launch } from '@plugboard/protocol';
import type { OpenOptions } from '../open-options.ts';
import type { Profile } from '../profile/profile.ts';
import { commandFor } from './command.ts';
import { environmentFor } from './environment.ts';

/** Starts the process of a launch. With `variables` the process also inherits the terminal. */
export type Starter = (launch: Launch, variables?: Readonly<Record<string, string>>) => Child;

/**
 * Computes `base` and the limits once for all processes of an agent, since they are a measurable part of each short
 * turn.
 */
export function createStarter(profile: Profile, options: OpenOptions): Starter {
  const base = environmentFor(profile, options.environment);
  const limits = { killGraceMs: profile.settings.killGraceSecs * 1000 };
  const start = options.spawner?.spawn ?? spawn;
  const resources = profile.limits;
  return (launch, variables) => {
    const plain = commandFor(launch, profile.workspace, { ...base, ...launch.env, ...variables });
    const command = resources === undefined ? plain : { ...plain, resources };
    return start(variables === undefined ? command : { ...command, stdio: 'inherit' }, limits);
  };
}
