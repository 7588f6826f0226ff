import { inspect } from 'node:util';
import type { Profile } from '@plugboard/host';

/**
 * Returns a profile whose `env` and `providers` are hidden from `inspect` and `JSON.stringify`. Property access and
 * copies, as for the start of an agent, see the values.
 */
export function withHiddenValues(profile: Profile): Profile {
  const settings: Record<string, unknown> = { ...profile.settings, env: hideRecord(profile.settings.env) };
  if ('providers' in profile.settings) settings.providers = hideRecord(profile.settings.providers);
  return { ...profile, settings: settings as unknown as Profile['settings'] };
}

function hideRecord<T extends object>(record: T): T {
  const shown = (): Record<string, string> =>
    Object.fromEntries(Object.keys(record).map((name) => [name, '[hidden]']));
  return Object.defineProperties(
    { ...record },
    { toJSON: { value: shown }, [inspect.custom]: { value: shown } },
  );
}
