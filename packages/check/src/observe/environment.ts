import { listTurnVariables } from '@plugboard/protocol';

type Source = Readonly<Record<string, string | undefined>>;

/**
 * Removes the `turnVariables` of all dialects from an environment: an agent would detect a wrong dialect by them. Other `AGENT_` and
 * `NIB_` variables stay, because they may be settings of the agent.
 */
export function withoutSigns(source: Source): Record<string, string> {
  const signs = new Set(listTurnVariables());
  const entries = Object.entries(source).filter(([name, value]) => value !== undefined && !signs.has(name));
  return Object.fromEntries(entries) as Record<string, string>;
}
