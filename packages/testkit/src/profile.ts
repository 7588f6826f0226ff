import type { Profile } from '@plugboard/host';
import { type DialectName, dialects, type Settings } from '@plugboard/protocol';

/** A profile of a command for tests: `inherit` is `all`, and a `terminal` agent uses the rich protocol. */
export function profileFor(
  dialect: DialectName,
  argv: readonly string[],
  workspace: string,
  settings: Partial<Record<string, unknown>> = {},
): Profile {
  const { commandSettings } = dialects[dialect];
  const rich = commandSettings === undefined ? {} : { ...commandSettings, stderr: 'log' };
  return {
    name: 'test',
    identity: 'test',
    dialect,
    settings: { ...dialects[dialect].defaults, command: { argv }, ...rich, ...settings } as Settings,
    inherit: 'all',
    workspace,
  };
}
