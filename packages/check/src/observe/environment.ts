import { TURN_VARIABLES } from '@plugboard/protocol';

type Source = Readonly<Record<string, string | undefined>>;

const SIGNS: ReadonlySet<string> = new Set(TURN_VARIABLES);

/**
 * The variables of the caller without those in which hosts put a turn: by them an agent would take itself to be asked in
 * some dialect already. Others of similar names are the agent's own settings.
 */
export function withoutSigns(source: Source): Record<string, string> {
  const entries = Object.entries(source).filter(([name, value]) => value !== undefined && !SIGNS.has(name));
  return Object.fromEntries(entries) as Record<string, string>;
}
