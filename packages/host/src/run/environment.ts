import { baseEnvironment, withoutUndefined } from '@plugboard/process';
import { dialects, type Launch } from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';

/** A host may itself be an agent: the turn that it was given is not the turn that it gives. */
const OTHER_TURNS: readonly string[] = Object.values(dialects).flatMap(({ turnVariables }) => turnVariables);

/** The variables a process starts with: the base the profile chose, then what the turn sets. */
export function environmentFor(
  profile: Pick<Profile, 'inherit'>,
  launch: Launch,
  source: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const base = profile.inherit === 'all' ? withoutUndefined(source) : baseEnvironment(source);
  for (const name of OTHER_TURNS) delete base[name];
  return Object.assign(base, launch.env);
}
