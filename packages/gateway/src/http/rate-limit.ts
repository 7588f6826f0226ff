/** Token-bucket rate limit per client. */
export interface RateLimit {
  /** Takes 1 request; returns the seconds to wait when the bucket is empty. */
  take(who: string): number | undefined;
}

interface Bucket {
  left: number;
  at: number;
}

const MOST_KNOWN = 5_000;

/**
 * `perMinute` requests per client, and as many at once after a pause. At least `MOST_KNOWN` clients are remembered;
 * beyond that the least recently seen are forgotten.
 */
export function createRateLimit(perMinute: () => number, now: () => number): RateLimit {
  // Two generations of `MOST_KNOWN`: dropping a whole map is O(1), finding the oldest entry is not.
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
      // `max` guards against a clock that is set back.
      const passed = Math.max(0, time - bucket.at);
      bucket.left = Math.min(most, bucket.left + (passed / 60_000) * most);
      bucket.at = time;
      if (bucket.left < 1) return Math.max(1, Math.ceil(((1 - bucket.left) / most) * 60));
      bucket.left -= 1;
      return undefined;
    },
  };
}
