import { isRecord } from './reader.ts';
import { configFields } from './schema.ts';

/** Error for a profile that is used as a configuration. */
export const PROFILE_GIVEN: string =
  'This looks like the profile of one agent, not like the configuration of a gateway. ' +
  'plugboard run and plugboard chat take it; a configuration names it: agents: { NAME: { profile: FILE } }.';

/** Fields that profiles have too. */
const SHARED: ReadonlySet<string> = new Set(['$schema', 'env', 'limits']);

/** Whether a file is a profile of any dialect without fields of a configuration. */
export function isProfile(value: Readonly<Record<string, unknown>>): boolean {
  const own = Object.keys(configFields.shape).filter((field) => !SHARED.has(field));
  if (own.some((field) => Object.hasOwn(value, field))) return isRecord(value.terminal);
  return (
    ['command', 'dialect'].some((field) => Object.hasOwn(value, field)) ||
    isRecord(value.agentproc) ||
    isRecord(value.terminal)
  );
}
