const QUIET_MS = 60_000;
const MOST_PLACES = 10_000;

/** Says whether somebody was told so a moment ago: who sends a hundred messages too many is told once a minute. */
export function createQuiet(now: () => number = () => performance.now()): (place: string) => boolean {
  const told = new Map<string, number>();
  return (place) => {
    const at = now();
    const last = told.get(place);
    if (last !== undefined && at - last < QUIET_MS) return true;
    // The oldest stand first: what is told again moves to the end.
    told.delete(place);
    told.set(place, at);
    for (const oldest of told.keys()) {
      if (told.size <= MOST_PLACES) break;
      told.delete(oldest);
    }
    return false;
  };
}
