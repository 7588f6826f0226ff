import { inspect } from 'node:util';
import type { Profile } from '@plugboard/host';

/**
 * A profile whose variables and keys do not show when it is printed or serialised. They are plain to who reads them by
 * name or copies them, as starting an agent does.
 */
export function withHiddenValues(profile: Profile): Profile {
  const settings: Record<string, unknown> = { ...profile.settings, env: hide(profile.settings.env) };
  if ('providers' in profile.settings) settings.providers = hide(profile.settings.providers);
  return { ...profile, settings: settings as unknown as Profile['settings'] };
}

function hide<T extends object>(record: T): T {
  const shown = (): Record<string, string> =>
    Object.fromEntries(Object.keys(record).map((name) => [name, '[hidden]']));
  return Object.defineProperties(
    { ...record },
    { toJSON: { value: shown }, [inspect.custom]: { value: shown } },
  );
}
