import type { Clock } from '../clock.ts';

const QUIET_MS = 60_000;
const MOST_PLACES = 10_000;

/** Limits refusals to one per minute and place, for a user who sends 100 messages too many. */
export function createRefusalLimit({ now }: Pick<Clock, 'now'>): (place: string) => boolean {
  const told = new Map<string, number>();
  return (place) => {
    const at = now();
    const last = told.get(place);
    if (last !== undefined && at - last < QUIET_MS) return true;
    // Reinserted, because a `Map` iterates in insertion order: the oldest place is dropped first.
    told.delete(place);
    told.set(place, at);
    for (const oldest of told.keys()) {
      if (told.size <= MOST_PLACES) break;
      told.delete(oldest);
    }
    return false;
  };
}
