import { baseEnvironment, withoutUndefined } from '@plugboard/process';
import { TURN_VARIABLES } from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';

/** The variables that every process of an agent starts with: what the profile chose of the host's own. */
export function environmentFor(
  profile: Pick<Profile, 'inherit'>,
  source: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const base = profile.inherit === 'all' ? withoutUndefined(source) : baseEnvironment(source);
  // A host may itself be an agent: the turn that it was given is not the turn that it gives.
  for (const name of TURN_VARIABLES) delete base[name];
  return base;
}
