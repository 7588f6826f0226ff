/** Counts requests by who sends them. */
export interface Pace {
  /** Undefined: go on. Else the seconds to wait. */
  take(who: string): number | undefined;
}

const MOST_KNOWN = 10_000;

/** So many a minute, and as many at once after a pause. Who has not been seen for a minute is forgotten. */
export function createPace(perMinute: () => number, now: () => number): Pace {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take(who) {
      const most = perMinute();
      const time = now();
      const bucket = buckets.get(who) ?? { left: most, at: time };
      bucket.left = Math.min(most, bucket.left + ((time - bucket.at) / 60_000) * most);
      bucket.at = time;
      buckets.set(who, bucket);
      if (buckets.size > MOST_KNOWN) forget(buckets, time);
      if (bucket.left < 1) return Math.ceil(((1 - bucket.left) / most) * 60);
      bucket.left -= 1;
      return undefined;
    },
  };
}

function forget(buckets: Map<string, { at: number }>, time: number): void {
  for (const [who, { at }] of buckets) if (time - at > 60_000) buckets.delete(who);
}
