type Source = Readonly<Record<string, string | undefined>>;

const SIGNS = /^(?:AGENT_|NIB_)/;

/** The variables of the caller without those by which an agent would take itself to be in some dialect already. */
export function withoutSigns(source: Source): Record<string, string> {
  const entries = Object.entries(source).filter(([name, value]) => value !== undefined && !SIGNS.test(name));
  return Object.fromEntries(entries) as Record<string, string>;
}
