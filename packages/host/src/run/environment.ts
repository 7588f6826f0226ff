import { baseEnvironment, withoutUndefined } from '@plugboard/process';
import { dialects } from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';

/** A host may itself be an agent: the turn that it was given is not the turn that it gives. */
const OTHER_TURNS: readonly string[] = Object.values(dialects).flatMap(({ turnVariables }) => turnVariables);

/** The variables that every process of an agent starts with: what the profile chose of the host's own. */
export function environmentFor(
  profile: Pick<Profile, 'inherit'>,
  source: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const base = profile.inherit === 'all' ? withoutUndefined(source) : baseEnvironment(source);
  for (const name of OTHER_TURNS) delete base[name];
  return base;
}
