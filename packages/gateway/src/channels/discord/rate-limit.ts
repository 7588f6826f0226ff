import type { Clock } from '../../clock.ts';
import { LONGEST_WAIT_MS, SendError } from '../channel.ts';

/** The last `X-RateLimit` headers of a route. */
interface Bucket {
  readonly remaining: number;
  readonly resetAt: number;
}

/** Tracks the buckets of Discord, so that a request that would get 429 is not made. */
export interface RateLimits {
  /** Throws `later` when the bucket of the route is empty. */
  check(method: string, path: string): void;
  note(method: string, path: string, headers: Headers): void;
}

/** Routes that are remembered. */
const MOST_ROUTES = 10_000;

export function createRateLimits({ now }: Pick<Clock, 'now'>): RateLimits {
  const buckets = new Map<string, Bucket>();
  return {
    check(method, path) {
      const bucket = buckets.get(routeOf(method, path));
      if (bucket === undefined || bucket.remaining > 0) return;
      const afterMs = Math.ceil(bucket.resetAt - now());
      if (afterMs > 0)
        throw new SendError('later', 'The rate limit of Discord is used up in this place.', { afterMs });
    },
    note(method, path, headers) {
      const remaining = headers.get('x-ratelimit-remaining');
      const resetSecs = Number(headers.get('x-ratelimit-reset-after') ?? Number.NaN);
      const route = routeOf(method, path);
      buckets.delete(route);
      if (remaining === null || !Number.isFinite(resetSecs)) return;
      buckets.set(route, {
        remaining: Number(remaining),
        resetAt: now() + Math.min(resetSecs * 1_000, LONGEST_WAIT_MS),
      });
      for (const oldest of buckets.keys()) {
        if (buckets.size <= MOST_ROUTES) break;
        buckets.delete(oldest);
      }
    },
  };
}

/** Replaces message ids: all messages of one channel share a bucket. */
function routeOf(method: string, path: string): string {
  return `${method} ${path.replace(/(?<=\/messages\/)\d+/, ':id')}`;
}
