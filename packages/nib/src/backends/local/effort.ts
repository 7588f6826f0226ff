const TEMPERATURES: Readonly<Record<string, number>> = {
  low: 0.3,
  medium: 0.5,
  high: 0.7,
  xhigh: 0.8,
  max: 0.9,
};

/** How freely the model speaks, by the effort that the author has asked for; high when none is named. */
export function temperatureFor(effort: string): number {
  return (Object.hasOwn(TEMPERATURES, effort) ? TEMPERATURES[effort] : undefined) ?? 0.7;
}

/** For data nobody wants surprises. */
export const DATA_TEMPERATURE = 0.2;
