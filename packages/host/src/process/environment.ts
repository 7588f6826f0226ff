import { baseEnvironment, withoutUndefined } from '@plugboard/process';
import { dialects, listTurnVariables } from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';

/**
 * The environment that every process of an agent starts with: the host's variables that `inherit` selects, with
 * `ownVariables` and without `strippedVariables` of the dialect.
 */
export function environmentFor(
  profile: Pick<Profile, 'inherit'> & Partial<Pick<Profile, 'dialect'>>,
  source: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const base = profile.inherit === 'all' ? withoutUndefined(source) : baseEnvironment(source);
  // A host may itself be an agent: its own turn variables must not reach the agents that it starts.
  for (const name of listTurnVariables()) delete base[name];
  const { ownVariables = [], strippedVariables = [] } =
    profile.dialect === undefined ? {} : dialects[profile.dialect];
  if (strippedVariables.length > 0)
    for (const name of Object.keys(base)) if (isNamed(name, strippedVariables)) delete base[name];
  for (const name of ownVariables) {
    const value = source[name];
    if (value !== undefined) base[name] = value;
  }
  return base;
}

/** A pattern is a name, or the beginning of one in front of `*`. */
function isNamed(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}
