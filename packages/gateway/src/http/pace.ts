/** Counts requests by who sends them. */
export interface Pace {
  /** Undefined: go on. Else the seconds to wait. */
  take(who: string): number | undefined;
}

interface Bucket {
  left: number;
  at: number;
}

const MOST_KNOWN = 5_000;

/** So many a minute, and as many at once after a pause. Of too many, those not seen for longest are forgotten. */
export function createPace(perMinute: () => number, now: () => number): Pace {
  // Two generations: to forget one by one would cost a search each time.
  let young = new Map<string, Bucket>();
  let old = new Map<string, Bucket>();
  const bucketOf = (who: string, most: number, time: number): Bucket => {
    const known = young.get(who);
    if (known !== undefined) return known;
    const bucket = old.get(who) ?? { left: most, at: time };
    if (young.size >= MOST_KNOWN) {
      old = young;
      young = new Map();
    }
    young.set(who, bucket);
    return bucket;
  };
  return {
    take(who) {
      const most = perMinute();
      const time = now();
      const bucket = bucketOf(who, most, time);
      // A clock that is set back must not cost anybody anything.
      const passed = Math.max(0, time - bucket.at);
      bucket.left = Math.min(most, bucket.left + (passed / 60_000) * most);
      bucket.at = time;
      if (bucket.left < 1) return Math.max(1, Math.ceil(((1 - bucket.left) / most) * 60));
      bucket.left -= 1;
      return undefined;
    },
  };
}
