import type { Profile } from '@plugboard/host';
import { type DialectName, dialects, type Settings } from '@plugboard/protocol';

/** A profile for a command, as a test wants it: everything inherited, frames where a dialect has them. */
export function profileFor(
  dialect: DialectName,
  argv: readonly string[],
  workspace: string,
  settings: Partial<Record<string, unknown>> = {},
): Profile {
  const rich = dialect === 'terminal' ? { protocol: 'rich', stderr: 'log' } : {};
  return {
    name: 'test',
    identity: 'test',
    dialect,
    settings: { ...dialects[dialect].defaults, command: { argv }, ...rich, ...settings } as Settings,
    inherit: 'all',
    workspace,
  };
}
