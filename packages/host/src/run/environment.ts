import { baseEnvironment, withoutUndefined } from '@plugboard/process';
import type { Launch } from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';

/** The variables a process starts with: the base the profile chose, less what is withheld, then what the turn sets. */
export function environmentFor(
  profile: Pick<Profile, 'inherit'>,
  launch: Launch,
  source: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const base = profile.inherit === 'all' ? withoutUndefined(source) : baseEnvironment(source);
  for (const name of launch.withhold ?? []) withhold(base, name);
  return Object.assign(base, launch.env);
}

function withhold(environment: Record<string, string>, name: string): void {
  if (!name.endsWith('*')) {
    delete environment[name];
    return;
  }
  const prefix = name.slice(0, -1);
  for (const key of Object.keys(environment)) {
    if (key.startsWith(prefix)) delete environment[key];
  }
}
